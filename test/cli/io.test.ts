import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createIo } from '../../src/cli/io.ts';

describe('createIo', () => {
  it('writes lines to their streams', () => {
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

  it('survives a reader that went away', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    createIo(streams, '/');
    expect(() => streams.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});
