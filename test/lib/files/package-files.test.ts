import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { packageRoot, packageVersion } from '../../../src/lib/files/package-files.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

it('packageRoot finds the folder of the package', () => {
  expect(fileURLToPath(packageRoot())).toBe(`${ROOT}/`);
});

it('packageVersion reads the version of package.json', () => {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  expect(packageVersion()).toBe(JSON.parse(text).version);
});
