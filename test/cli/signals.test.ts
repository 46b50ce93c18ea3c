import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { firstSignal } from '../../src/cli/signals.ts';

describe('firstSignal', () => {
  it.each(['SIGTERM', 'SIGINT'])('resolves at %s and does not exit', async (signal) => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const first = firstSignal(source, (code) => codes.push(code));
    source.emit(signal);
    await first;
    expect(codes).toEqual([]);
  });

  it('exits at once at the second, whichever it is', async () => {
    const source = new EventEmitter();
    const codes: number[] = [];
    const first = firstSignal(source, (code) => codes.push(code));
    source.emit('SIGTERM');
    source.emit('SIGINT');
    await first;
    expect(codes).toEqual([130]);
  });
});
