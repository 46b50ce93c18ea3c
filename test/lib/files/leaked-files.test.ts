// A file that was opened and forgotten, in processes that really forget one.
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { countLeakedFiles, isLeakedFileError } from '../../../src/lib/files/leaked-files.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

/** Opens files and forgets them; ends once Node has closed them, with what is counted. */
const FORGETFUL = `
  import { open } from 'node:fs/promises';
  import { setTimeout as pause } from 'node:timers/promises';
  for (let file = 0; file < 3; file += 1) await open(process.execPath);
  for (let turn = 0; turn < 500 && count() < 3; turn += 1) {
    gc();
    await pause(10);
  }
  process.stdout.write('lives with ' + count());
`;
const COUNTING = `
  import { countLeakedFiles } from './src/lib/files/leaked-files.ts';
  const count = countLeakedFiles(process, {
    onLeak: (error) => process.stderr.write(error.message.slice(0, 19) + '\\n'),
    onOther: (error) => { process.stderr.write(error.message); process.exit(9); },
  });
`;

function run(program: string) {
  const args = ['--expose-gc', '--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('a process that has forgotten files counts them and lives', () => {
  const result = run(COUNTING + FORGETFUL);
  expect(result).toEqual({ status: 0, stdout: 'lives with 3', stderr: 'A FileHandle object\n'.repeat(3) });
});

test('without the count Node ends a process that has forgotten a file', () => {
  const { status, stderr } = run(`const count = () => 0;${FORGETFUL}`);
  expect(status).toBe(1);
  expect(stderr).toContain('ERR_INVALID_STATE');
});

test('any other uncaught error ends the process', () => {
  const thrown = `${COUNTING} setImmediate(() => { throw new Error('a defect'); }); setTimeout(() => {}, 60_000);`;
  expect(run(thrown)).toEqual({ status: 9, stdout: '', stderr: 'a defect' });
});

test('only the error of a forgotten file is one', () => {
  const coded = (message: string, code: string) => Object.assign(new Error(message), { code });
  const message = 'A FileHandle object was closed during garbage collection. This used to be allowed';
  expect(isLeakedFileError(coded(message, 'ERR_INVALID_STATE'))).toBe(true);
  expect(isLeakedFileError(coded(message, 'ERR_OTHER'))).toBe(false);
  expect(isLeakedFileError(coded('Invalid state: closed', 'ERR_INVALID_STATE'))).toBe(false);
  expect(isLeakedFileError(new Error(message))).toBe(false);
  expect(isLeakedFileError(message)).toBe(false);
});

test('each forgotten file is told and counted', () => {
  const source = new EventEmitter();
  const told: string[] = [];
  const count = countLeakedFiles(source, {
    onLeak: ({ name }) => void told.push(name),
    onOther: (error) => {
      throw error;
    },
  });
  const leak = Object.assign(new Error('A FileHandle object was closed during garbage collection'), {
    code: 'ERR_INVALID_STATE',
  });
  source.emit('uncaughtException', leak);
  source.emit('uncaughtException', leak);
  const other = new TypeError('other');
  expect(() => source.emit('uncaughtException', other)).toThrow(other);
  expect({ told, count: count() }).toEqual({ told: ['Error', 'Error'], count: 2 });
});
