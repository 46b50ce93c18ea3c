// `cloister status` on the embedded database.
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { status } from '../../src/cli/status.ts';
import { machineId } from '../../src/deployment/machine.ts';
import { createProcessRecords } from '../../src/deployment/process-records.ts';
import { openSqliteDocuments } from '../../src/stores/sqlite-documents/store.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

function site() {
  const { cwd, remove } = createWorkspace();
  onTestFinished(remove);
  const run = async (json = false) => {
    const io = captureIo(cwd);
    return { code: await status(json ? { json } : {}, io), lines: io.printed };
  };
  /** As a server does that runs as this process, or as one that has ended. */
  const register = async (id: string, pid: number) => {
    const store = await openSqliteDocuments({
      path: `${cwd}/data`,
      queueLimit: 10,
      log: console,
      exclusive: false,
      hasMemoryFor: () => true,
    });
    await createProcessRecords({ store, now: Date.now, timeoutMs: 10_000 }).save({
      id,
      host: 'machine',
      machine: machineId(),
      pid,
      address: '127.0.0.1:8081',
      version: '1.2.3',
      since: 1_700_000_000_000,
      lastSeen: 1_700_000_001_000,
      beat: 1,
      applied: 0,
      settings: {},
      cacheAway: false,
    });
    await store.close();
  };
  return { run, register };
}

it('where no server runs, the command says so and fails', async () => {
  const { run } = site();
  expect(await run()).toEqual({ code: 1, lines: ['no server runs on this database'] });
});

it('a server that runs is listed with its version, its times and what it has in force', async () => {
  const { run, register } = site();
  await register('a'.repeat(24), process.pid);
  const { code, lines } = await run();
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^ADDRESS +HOST +PID +VERSION +SINCE +LAST SEEN +CHANGES +STATE$/);
  expect(lines[1]?.split(/ {2,}/)).toEqual([
    ...['127.0.0.1:8081', 'machine', `${process.pid}`, '1.2.3'],
    ...['2023-11-14T22:13:20.000Z', '2023-11-14T22:13:21.000Z', '0', 'running'],
  ]);
  const { lines: json } = await run(true);
  expect(JSON.parse(json.join('\n'))).toMatchObject({ newestChange: 0, processes: [{ state: 'running' }] });
});

it('a server that was killed is named, and the command fails', async () => {
  const { run, register } = site();
  await register('a'.repeat(24), spawnSync('true').pid);
  const { code, lines } = await run();
  expect([code, lines[1]?.endsWith('ended')]).toEqual([1, true]);
});
