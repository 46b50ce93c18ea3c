// npm runs on the Node of the machine, which may be old: it should warn of the project's own demand, and of no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';

/** The oldest Node that npm 11 runs on. */
const OLDEST = 20;

interface Entry {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

it('no package but the project asks for a newer Node than npm does', () => {
  const newer = Object.entries(packages).filter(([folder, { engines }]) => {
    const least = (engines?.node ?? '').split('||').map((range) => Number(/\d+/.exec(range)?.[0] ?? 0));
    return folder !== '' && Math.min(...least) > OLDEST;
  });
  expect(newer.map(([folder]) => folder)).toEqual([]);
});

it('no package that the packed command needs runs a script when it is installed', () => {
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(scripted.filter(([, { dev }]) => dev !== true).map(([folder]) => folder)).toEqual([]);
  expect(scripted.map(([folder]) => folder)).toContain('node_modules/isolated-vm');
});
