// After `npm ci` in a checkout, and while `npm pack` runs: builds the admin page into `dist/admin`. Plain JavaScript, because npm
// may run on an older Node. An installation without development dependencies has nothing to build with, and is left as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');

if (existsSync(VITE) && existsSync(join(ROOT, 'admin'))) {
  const { status } = spawnSync(process.execPath, [VITE, 'build', 'admin', '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // The server works without the page, and says where to get it: an installation does not fail for it.
  if (status !== 0) console.error('The admin page is not built: `npm run build:admin` shows why');
}
