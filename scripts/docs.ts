// Writes the reference pages that follow from the source. test/docs.test.ts fails when one is stale.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './docs/generated-files.ts';

const root = join(import.meta.dirname, '..');
for (const [path, text] of await generatedFiles()) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(path);
}
