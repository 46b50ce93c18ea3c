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

  it('steers no terminal, whoever wrote the text', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const io = createIo(streams, '/');
    io.out('name: \u001b]0;title\u0007\u202e');
    io.err('\u009b2J\rfine');
    expect(String(streams.stdout.read())).toBe('name: \\u001b]0;title\\u0007\\u202e\n');
    expect(String(streams.stderr.read())).toBe('\\u009b2J\\u000dfine\n');
  });

  it('survives a reader that went away', () => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    createIo(streams, '/');
    expect(() => streams.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});
