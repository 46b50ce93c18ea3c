import { describe, expect, it } from 'vitest';
import { exitSignal } from '../../../src/sandbox-supervisor/isolation/exit-signal.ts';

describe('the signal that ended a host', () => {
  it('is the one that Node saw', () => {
    expect(exitSignal(null, 'SIGKILL')).toBe('SIGKILL');
  });

  it('is read from the exit code where something stood between', () => {
    expect(exitSignal(137, null)).toBe('SIGKILL');
    expect(exitSignal(134, null)).toBe('SIGABRT');
  });

  it('is none when the host left by itself', () => {
    for (const code of [0, 1, 127, 128, 255, null]) expect(exitSignal(code, null)).toBeUndefined();
  });
});
