// npm runs on the Node of the machine, which may be old: it should warn of the project's own demand, and of no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './helpers/source-tree.ts';

/** The oldest Node that npm 11 runs on. */
const OLDEST = 20;

interface Entry {
  readonly engines?: { readonly node?: string };
}

it('no package but the project asks for a newer Node than npm does', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Entry>>;
  };
  const newer = Object.entries(packages).filter(([folder, { engines }]) => {
    const least = (engines?.node ?? '').split('||').map((range) => Number(/\d+/.exec(range)?.[0] ?? 0));
    return folder !== '' && Math.min(...least) > OLDEST;
  });
  expect(newer.map(([folder]) => folder)).toEqual([]);
});
