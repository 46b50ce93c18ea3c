import { describe, expect, it } from 'vitest';
import { createPendingHostCalls } from '../../src/sandbox-supervisor/pending-host-calls.ts';
import { createModuleVersion, invocationInput } from '../helpers/sandbox.ts';

const CALL = { name: 'model.update', args: '{}' };
const never = new AbortController().signal;
const LONG = 60_000;

/** A job whose calls end when the test says so. */
function slowJob(id: string) {
  const signals: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const serve = (_: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<{ ok: boolean; text: string }>((resolve) => {
      ends.push(() => resolve({ ok: true, text: '{}' }));
    });
  };
  return { job: invocationInput(createModuleVersion('', { id }), { serve }), signals, ends };
}

describe('host calls in flight', () => {
  it('of one module are aborted together, and waited for', async () => {
    const calls = createPendingHostCalls();
    const [a, b] = [slowJob('endpoint:1.0/a'), slowJob('endpoint:1.0/b')];
    const answers = [a, a, b].map(({ job }) => calls.track(job).serve(CALL, never));
    let isOver = false;
    const over = calls.abort('endpoint:1.0/a', LONG).then(() => {
      isOver = true;
    });
    expect([...a.signals, ...b.signals].map(({ aborted }) => aborted)).toEqual([true, true, false]);
    a.ends[0]?.();
    await answers[0];
    expect(isOver).toBe(false);
    a.ends[1]?.();
    await over;
    b.ends[0]?.();
    expect(await Promise.all(answers)).toHaveLength(3);
  });

  it('are waited for until the time is up', async () => {
    const calls = createPendingHostCalls();
    const { job, signals } = slowJob('endpoint:1.0/a');
    void calls.track(job).serve(CALL, never);
    await calls.abort('endpoint:1.0/a', 1);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('end with their request too, and are forgotten once they have ended', async () => {
    const calls = createPendingHostCalls();
    const { job, signals, ends } = slowJob('endpoint:1.0/a');
    const request = new AbortController();
    const answer = calls.track(job).serve(CALL, request.signal);
    request.abort();
    expect(signals[0]?.aborted).toBe(true);
    ends[0]?.();
    await answer;
    await calls.abort('endpoint:1.0/a', LONG);
    void calls.track(job).serve(CALL, request.signal);
    expect(signals[1]?.aborted).toBe(true);
  });
});
