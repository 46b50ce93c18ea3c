// Programs that make clients from an API description, with the TypeScript that they and their output need: it is older than the
// project's, so they cannot be its dependencies.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { runFetching } from './progress.ts';

const PACKAGES = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3',
  '@types/node@26.6.6',
];
/** No later version of what they depend on is taken. */
const BEFORE = '2026-11-20';

/** Installs them below the folder `target`, as `node_modules`. Rejects when npm fails. */
export async function installClientGenerators(target: string): Promise<void> {
  const folder = `${target}.part`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runFetching('npm', ['install', '--prefix', folder, '--before', BEFORE, ...quiet, ...PACKAGES], {
    name: 'client-generators',
    folder,
  });
  renameSync(folder, target);
}
