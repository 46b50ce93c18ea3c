import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageVersion } from '../../src/lib/package-version.ts';

it('is the version of package.json', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  expect(packageVersion()).toBe(JSON.parse(text).version);
});
