// What is installed with Cloister must stay free to use: no strong copyleft among the runtime dependencies.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';

interface LockEntry {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly license?: string;
}

interface Manifest {
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
}

/** One licence of an SPDX expression that we may not depend on. The lesser GPL is not one of them. */
const COPYLEFT = /(^|[^L])GPL|AGPL|SSPL/i;

/** `A OR B` leaves the choice to us; `A AND B` does not. */
function forbidden(expression: string): boolean {
  return expression.split(/\sOR\s/i).every((choice) => COPYLEFT.test(choice));
}

function declared(folder: string, entry: LockEntry): string {
  const path = join(ROOT, folder, 'package.json');
  if (!existsSync(path)) return entry.license ?? '';
  const { license, licenses } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? '';
}

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};
const runtime = Object.entries(lock.packages)
  .filter(([folder, entry]) => folder !== '' && entry.dev !== true && entry.devOptional !== true)
  .map(([folder, entry]) => ({ folder, licence: declared(folder, entry) }));

describe('licences of runtime dependencies', () => {
  it('are all declared', () => {
    expect(runtime.length).toBeGreaterThan(20);
    expect(runtime.filter(({ licence }) => licence === '')).toEqual([]);
  });

  it('hold no GPL, AGPL or SSPL', () => {
    expect(runtime.filter(({ licence }) => forbidden(licence))).toEqual([]);
  });

  it.each(['GPL-3.0', 'AGPL-3.0-or-later', 'SSPL-1.0', '(MIT AND GPL-2.0-only)', 'GPL-2.0 OR AGPL-3.0'])(
    'would refuse %s',
    (licence) => expect(forbidden(licence)).toBe(true),
  );

  it.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'LGPL-3.0', 'Apache-2.0'])('would accept %s', (licence) =>
    expect(forbidden(licence)).toBe(false),
  );
});
