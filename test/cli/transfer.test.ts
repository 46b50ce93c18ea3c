import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAmount, runTransfer, type TransferTask } from '../../src/cli/transfer.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.remove());

async function run(work: (task: TransferTask) => Promise<void>, flags = { file: 'site.jsonl' }, env = {}) {
  const io = captureIo(workspace.cwd, env);
  const ownProcess = createTestStreams();
  const done = runTransfer({ name: 'import', flags, io, ownProcess }, work);
  return { code: await done, said: io.complained, ownProcess };
}

describe('runTransfer', () => {
  it('does the work on the configured store and closes it', async () => {
    let seen: TransferTask | undefined;
    const { code, said } = await run(async (task) => {
      seen = task;
    });
    expect([code, said]).toEqual([0, []]);
    expect(seen?.file).toBe(join(workspace.cwd, 'site.jsonl'));
    expect(seen?.signal.aborted).toBe(false);
    await expect(seen?.transfer.exporter.plan()).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it('means the standard stream by a dash', async () => {
    const { code } = await run(async ({ file }) => expect(file).toBeUndefined(), { file: '-' });
    expect(code).toBe(0);
  });

  it.each([
    [new AppError('DOCUMENT_INVALID', { message: 'line 3: is not JSON' }), 'line 3: is not JSON'],
    [new StoreError('timeout'), 'the database cannot be used (timeout)'],
    [
      Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' }),
      'the reader of the output has gone',
    ],
    [
      Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' }),
      'ENOSPC: no space left',
    ],
  ])('says in one line why it failed: %s', async (failure, reason) => {
    const { code, said } = await run(() => Promise.reject(failure));
    expect([code, said]).toEqual([1, [`cloister: import: ${reason}`]]);
  });

  it('throws what is a defect', async () => {
    await expect(run(() => Promise.reject(new TypeError('a defect')))).rejects.toThrow('a defect');
  });

  it('ends in order at the first signal, at once at the second', async () => {
    const io = captureIo(workspace.cwd);
    const ownProcess = createTestStreams();
    const code = await runTransfer(
      { name: 'export', flags: { file: 'x' }, io, ownProcess },
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ownProcess.emit('SIGINT');
            reject(signal.reason);
          });
          ownProcess.emit('SIGINT');
        }),
    );
    expect([code, io.complained, ownProcess.exits]).toEqual([1, ['cloister: export: stopped'], [130]]);
  });

  it('opens nothing without a file, or under a bad configuration', async () => {
    const work = () => Promise.reject(new Error('not to be called'));
    const io = captureIo(workspace.cwd);
    const ownProcess = createTestStreams();
    expect(await runTransfer({ name: 'export', flags: {}, io, ownProcess }, work)).toBe(1);
    expect(io.complained).toEqual(['cloister: export: --file is missing']);
    const { code, said } = await run(work, { file: 'x' }, { CLOISTER_LIMITS_QUERY_MS: '0' });
    expect([code, said]).toEqual([1, ['CLOISTER_LIMITS_QUERY_MS must be 10 or more']]);
    expect(existsSync(join(workspace.cwd, 'data'))).toBe(false);
  });
});

it('a number of documents is counted in words', () => {
  expect(formatAmount(12_345, 7)).toBe('12,345 documents of 7 collections');
  expect(formatAmount(1, 1)).toBe('1 document of 1 collection');
  expect(formatAmount(0, 0)).toBe('0 documents of 0 collections');
});
