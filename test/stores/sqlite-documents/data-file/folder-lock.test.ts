// One server process for one data folder, however the one before it ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockFolder } from '../../../../src/stores/sqlite-documents/data-file/folder-lock.ts';
import { openSqliteDocuments } from '../../../../src/stores/sqlite-documents/store.ts';
import { temporaryFolder } from '../../../helpers/temp/folders.ts';

const LOCK = new URL('../../../../src/stores/sqlite-documents/data-file/folder-lock.ts', import.meta.url)
  .href;
const HOLDER = `
  const { lockFolder } = await import(${JSON.stringify(LOCK)});
  globalThis.lock = lockFolder(process.argv[1], () => 0);
  console.log('locked');
  setInterval(() => {}, 1000);
`;

/** A process that has the folder. */
async function holder(path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Why the folder is refused, without the name of the folder; undefined when it is free. */
function refusal(path: string): string | undefined {
  try {
    lockFolder(path, () => 0).release();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'StoreError', reason: 'in-use', cause: expect.any(Error) });
    const { message } = (error as Error).cause as Error;
    expect(message).toContain(`another server has the data folder ${path}`);
    return message.slice(`another server has the data folder ${path}`.length);
  }
}

describe('the lock of a data folder', () => {
  it('is rejected while another process holds it, and the error names that process', async () => {
    const path = await temporaryFolder();
    const { pid } = await holder(path);
    expect(refusal(path)).toBe(`: process ${pid} on ${hostname()}, since 1970-01-01T00:00:00.000Z`);
  });

  it('ends with its process, also after SIGKILL', async () => {
    const path = await temporaryFolder();
    const child = await holder(path);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(refusal(path)).toBeUndefined();
  });

  it('also excludes a second store of the same process, until it is released', async () => {
    const path = await temporaryFolder();
    const lock = lockFolder(path, () => 0);
    expect(refusal(path)).toContain(`process ${process.pid} `);
    lock.release();
    lock.release();
    expect(existsSync(join(path, 'cloister.lock.json'))).toBe(false);
    expect(refusal(path)).toBeUndefined();
  });

  it('works without the file that names its owner', async () => {
    const path = await temporaryFolder();
    const lock = lockFolder(path, () => 0);
    for (const text of ['', 'null', '{"pid":"7"}']) {
      rmSync(join(path, 'cloister.lock.json'), { force: true });
      writeFileSync(join(path, 'cloister.lock.json'), text);
      expect(refusal(path)).toBe('');
    }
    lock.release();
  });

  it('does not affect stores that do not ask for it', async () => {
    const path = await temporaryFolder();
    const server = await openSqliteDocuments({ path, queueLimit: 10, exclusive: true });
    await expect(openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).rejects.toMatchObject({
      reason: 'in-use',
    });
    const command = await openSqliteDocuments({ path, queueLimit: 10 });
    await command.health();
    await command.close();
    await expect(openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).rejects.toMatchObject({
      reason: 'in-use',
    });
    await server.close();
    await (await openSqliteDocuments({ path, queueLimit: 10, exclusive: true })).close();
  });
});
