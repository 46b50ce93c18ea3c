// Before `npm pack`: clears what an earlier one built, and copies the binaries of isolated-vm that were reviewed, so that
// an installation runs no script and needs no compiler.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isReviewed, REVIEWED } from '../sandbox/binding.js';

const ROOT = join(import.meta.dirname, '..');
const FROM = join(ROOT, 'node_modules', 'isolated-vm');
const TO = join(ROOT, 'prebuilds');

for (const folder of [TO, join(ROOT, 'dist')]) rmSync(folder, { recursive: true, force: true });
for (const name of REVIEWED.keys()) {
  const copy = join(TO, name);
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(join(FROM, 'prebuilds', name), copy);
  if (!isReviewed(copy)) throw new Error(`${name} is not the file that was reviewed`);
}
copyFileSync(join(FROM, 'LICENSE'), join(TO, 'LICENSE'));
