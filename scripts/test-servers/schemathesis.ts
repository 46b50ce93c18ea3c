// Schemathesis, which sends a server what its API description allows and what it forbids, and judges the answers by it.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { runFetching } from './progress.ts';

/** All of what it needs: other versions would generate other requests from the same seed. */
const PACKAGES = [
  'schemathesis==4.32.5',
  'anyio==4.16.0',
  'certifi==2026.10.19.post1',
  'charset-normalizer==3.5.3',
  'click==8.5.1',
  'graphql-core==3.3.2',
  'harfile==0.6.0',
  'hypothesis==6.170.17',
  'hypothesis-graphql==0.13.5',
  'idna==3.20',
  'iniconfig==2.3.1',
  'jsonschema_rs==0.60.3',
  'markdown-it-py==4.3.0',
  'MarkupSafe==3.0.4',
  'mdurl==0.1.2',
  'packaging==26.4',
  'pluggy==1.7.0',
  'Pygments==2.21.0',
  'pyrate-limiter==4.5.1',
  'pytest==9.2.0',
  'PyYAML==6.0.4',
  'requests==2.34.2',
  'rich==15.0.0',
  'sortedcontainers==2.4.0',
  'typing_extensions==4.16.0',
  'urllib3==2.8.0',
  'Werkzeug==3.1.9',
];

/** Installs it as a folder `target` for `PYTHONPATH`. Rejects when pip fails. */
export async function installSchemathesis(target: string): Promise<void> {
  const folder = `${target}.part`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const pip = ['-m', 'pip', 'install', '--progress-bar=off', '--no-deps', '--root-user-action=ignore'];
  await runFetching('python3', [...pip, '--only-binary=:all:', '--target', folder, ...PACKAGES], {
    name: 'schemathesis',
    folder,
  });
  renameSync(folder, target);
}
