// What an operator sees of the embedded database: one file.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

it('the embedded database lies in one database file of a folder that is made when missing', async () => {
  const workspace = createWorkspace(LIBRARY, { database: { sqlite: { path: 'deep/er' } } });
  const app = await startApp({ workspace });
  await app.inject('POST', '/1.0/library/books', { body: { title: 'x' } });
  await app.close();
  const files = readdirSync(join(workspace.cwd, 'deep/er'));
  expect(
    files.filter((name) => !/-(wal|shm)$|^cloister\.lock$|^audit\.(key|head)$/.test(name)),
    files.join(),
  ).toHaveLength(1);
  workspace.remove();
});
