// A page as its sources are now, built once for each state of them: no test shows an older one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../fixtures/source-tree.ts';
import { filesBelow } from '../temp/folders.ts';

/** Folder of the sources: of the admin page, or of the page of the API description. */
type Sources = 'admin' | 'docs-page';

function hashOfSources(name: Sources): string {
  const sources = join(ROOT, name);
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const path of filesBelow(sources))
    hash.update(`\0${path}\0`).update(readFileSync(join(sources, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Folder of the built page. Throws with what the build says when it fails. */
export function builtPage(name: Sources = 'admin'): string {
  const builds = join(ROOT, '.cache', name);
  const folder = join(builds, hashOfSources(name));
  if (existsSync(folder)) return folder;
  mkdirSync(builds, { recursive: true });
  const part = mkdtempSync(join(builds, 'part-'));
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', name, '--logLevel', 'warn', '--outDir', part];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_V8_COVERAGE: undefined,
      NODE_ENV: 'production',
      VITEST: undefined,
    },
  });
  if (status !== 0) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(`the page cannot be built: ${stdout}${stderr}`);
  }
  try {
    renameSync(part, folder);
  } catch {
    // Another process was faster.
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}
