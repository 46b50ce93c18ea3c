// After `npm ci` in a checkout, and while `npm pack` runs: builds the admin page into `dist/admin`, and the page of the API
// description into `dist/docs`. Plain JavaScript, because npm
// may run on an older Node. An installation without development dependencies has nothing to build with, and is left as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');

/** Folders of the sources, and the scripts that build them. */
const PAGES = [
  ['admin', 'build:admin'],
  ['docs-page', 'build:docs'],
];

for (const [folder, script] of PAGES) {
  if (!existsSync(VITE) || !existsSync(join(ROOT, folder))) continue;
  const { status } = spawnSync(process.execPath, [VITE, 'build', folder, '--logLevel', 'warn'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // The server works without its pages, and says where to get them: an installation does not fail for it.
  if (status !== 0) console.error(`A page is not built: \`npm run ${script}\` shows why`);
}
