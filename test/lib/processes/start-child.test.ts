// Starts of processes that work, and the ways in which they fail.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isOutOfResources, StartError } from '../../../src/errors/start-error.ts';
import { startChild, untilStarted } from '../../../src/lib/processes/start-child.ts';

it('a process that starts has its pipes, and has written nothing yet', async () => {
  const child = await startChild(process.execPath, ['-e', 'process.stdout.write("hello")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await closed;
  expect(said).toBe('hello');
});

it('a program that is missing is a StartError, and its pipes are closed', async () => {
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn('/no/such/program', { stdio: 'pipe' });
    return child;
  };
  const failure = untilStarted(start, 'the program');
  await expect(failure).rejects.toThrow('the program could not be started');
  await expect(failure).rejects.toBeInstanceOf(StartError);
  expect(child?.stdio.map((pipe) => pipe?.destroyed)).toEqual([true, true, true]);
});

it('a start that throws is a StartError with its cause', async () => {
  const start = () => spawn(process.execPath, { cwd: 'a\0b' });
  await expect(untilStarted(start)).rejects.toBeInstanceOf(StartError);
});

it('an error of a process that runs ends nothing', async () => {
  const child = await startChild(process.execPath, ['-e', ''], { stdio: 'ignore' });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  expect(child.emit('error', new Error('kill EPERM'))).toBe(true);
  await exit;
});

it.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ERR_WORKER_INIT_FAILED'])(
  'an error that was caused by %s says that the system has nothing left',
  (code) => {
    const cause = Object.assign(new Error(code), { code });
    expect(isOutOfResources(cause)).toBe(true);
    expect(isOutOfResources(new StartError('a process', cause))).toBe(true);
    expect(isOutOfResources(new Error('it', { cause: new Error('it', { cause }) }))).toBe(true);
  },
);

it('a package that could not be looked at says that the system has nothing left', () => {
  const message = 'Cannot read package config /srv/package.json: too many open files.';
  const error = Object.assign(new Error(message), { code: 'ERR_INVALID_PACKAGE_CONFIG' });
  expect(isOutOfResources(error)).toBe(true);
});

it('other errors, values, and causes that go round do not say it', () => {
  const round = new Error('round');
  round.cause = round;
  const missing = Object.assign(new Error('missing'), { code: 'ENOENT' });
  for (const other of [missing, round, { code: 'EMFILE' }, 'EMFILE', undefined]) {
    expect(isOutOfResources(other)).toBe(false);
  }
});
