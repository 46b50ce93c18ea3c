import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIo, firstSignal, loadOrReport, operatorMessage, systemErrorCode } from '../../src/cli/io.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import { captureIo } from '../helpers/server-process/console.ts';

describe('createIo', () => {
  it('writes lines to stdout and stderr', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const printed: string[] = [];
    streams.stdout.on('data', (chunk) => printed.push(String(chunk)));
    const io = createIo(streams, '/somewhere');
    io.out('one');
    io.out('two');
    io.err('three');
    expect(printed.join('')).toBe('one\ntwo\n');
    expect(String(streams.stderr.read())).toBe('three\n');
    expect(io.cwd).toBe('/somewhere');
  });

  it('escapes control characters', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const io = createIo(streams, '/');
    io.out('name: \u001b]0;title\u0007\u202e');
    io.err('\u009b2J\rfine');
    expect(String(streams.stdout.read())).toBe('name: \\u001b]0;title\\u0007\\u202e\n');
    expect(String(streams.stderr.read())).toBe('\\u009b2J\\u000dfine\n');
  });

  it('ignores the error of a closed pipe', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    createIo(streams, '/');
    expect(() => streams.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});

describe('firstSignal', () => {
  it.each(['SIGTERM', 'SIGINT'])('resolves at the first %s without exiting', async (signal) => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const first = firstSignal(source, (code) => codes.push(code));
    source.emit(signal);
    await first;
    expect(codes).toEqual([]);
  });

  it('exits at once at a second signal, with its exit code', async () => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const first = firstSignal(source, (code) => codes.push(code));
    source.emit('SIGTERM');
    source.emit('SIGINT');
    await first;
    expect(codes).toEqual([130]);
  });
});

const missing = () => readFile('/no/such/file').catch((error: unknown) => error);

describe('operatorMessage', () => {
  it('joins the messages of an AppError', () => {
    expect(operatorMessage(new AppError('LAST_ADMIN'))).toBe('The last admin cannot be removed or demoted');
    expect(
      operatorMessage(new AppError('BAD_REQUEST', { items: [{ message: 'a' }, { message: 'b' }] })),
    ).toBe('a; b');
  });

  it('says why the database cannot be used', () => {
    const cause = new Error('disk full');
    expect(operatorMessage(new StoreError('unavailable', { cause }))).toBe(
      'the database cannot be used (unavailable): disk full',
    );
    const inUse = new StoreError('in-use', { cause: new Error('process 7 has it') });
    expect(operatorMessage(inUse)).toBe('process 7 has it');
    expect(operatorMessage(new StoreError('busy'))).toBe('the database cannot be used (busy)');
  });

  it('repeats the message of an operating system error', async () => {
    expect(operatorMessage(await missing())).toMatch(/^ENOENT: no such file/);
  });

  it.each([new TypeError('a defect'), 'thrown text', undefined])(
    'returns undefined for a defect: %s',
    (error) => {
      expect(operatorMessage(error)).toBeUndefined();
    },
  );
});

describe('systemErrorCode', () => {
  it('returns the code of operating system errors only', async () => {
    expect(systemErrorCode(await missing())).toBe('ENOENT');
    expect(systemErrorCode(new Error('a'))).toBeUndefined();
  });
});
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('loadOrReport', () => {
  it('gives the configuration and prints warnings', async () => {
    const io = captureIo(cwd, { CLOISTER_SERVER_PROT: '1' });
    const loaded = await loadOrReport({ port: '7' }, io);
    expect(loaded?.config.server.port).toBe(7);
    expect(io.complained).toEqual([
      'warning: CLOISTER_SERVER_PROT is ignored; did you mean CLOISTER_SERVER_PORT?',
    ]);
  });

  it('prints every problem and gives nothing', async () => {
    const io = captureIo(cwd, { CLOISTER_SERVER_PORT: 'x', CLOISTER_CORS: 'x' });
    expect(await loadOrReport({}, io)).toBeUndefined();
    expect(io.complained).toEqual([
      'CLOISTER_SERVER_PORT must be a whole number',
      'CLOISTER_CORS must be true or false',
    ]);
    expect(io.printed).toEqual([]);
  });
});
