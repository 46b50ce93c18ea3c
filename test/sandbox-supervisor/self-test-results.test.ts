import { describe, expect, it } from 'vitest';
import { createSelfTestResults } from '../../src/sandbox-supervisor/self-test-results.ts';

describe('the results of the self-test', () => {
  it('prove nothing before it has run, then the layers that held', async () => {
    const walls = { a: true, b: false };
    const results = createSelfTestResults(async () => ({ state: 'failed', items: [], walls }));
    const layers = { a: true, b: true, c: true, d: false };
    const latest = () => [results.latest(false).state, results.provenLayers(layers, false)];
    expect(latest()).toEqual(['not-run', undefined]);
    const running = results.run(false);
    expect(latest()).toEqual(['running', undefined]);
    expect(await running).toEqual({ state: 'failed', items: [] });
    expect(latest()).toEqual(['failed', { a: true, b: false, c: false, d: false }]);
    expect(results.heldLayers(false)).toEqual(walls);
  });

  it('are apart for hosts with the just-in-time compiler', async () => {
    const results = createSelfTestResults(async (jit) => ({
      ...{ state: jit ? 'failed' : 'passed', items: [], walls: {} },
    }));
    await results.run(true);
    expect([results.latest(true).state, results.latest(false).state]).toEqual(['failed', 'not-run']);
    expect((await results.run(false)).state).toBe('passed');
  });

  it('come from one run at a time', async () => {
    let runs = 0;
    const results = createSelfTestResults(async () => {
      runs += 1;
      return { state: 'passed', items: [], walls: {} };
    });
    const [first, second] = await Promise.all([results.run(false), results.run(false)]);
    expect([runs, first.state, second.state]).toEqual([1, 'passed', 'running']);
  });
});
