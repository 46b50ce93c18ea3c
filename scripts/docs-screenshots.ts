// Takes the pictures of the admin page in docs/images/admin anew: its tests visit the views, and write them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'full', 'test/admin/screenshots.full.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, CLOISTER_SCREENSHOTS: 'take' } },
);
process.exitCode = status ?? 1;
