import { describe, expect, it } from 'vitest';
import { createSelfTestResults } from '../../src/sandbox-supervisor/self-test-results.ts';

describe('the results of the self-test', () => {
  it('prove nothing until it has run, and only what held', async () => {
    const walls = { a: true, b: false };
    const tests = createSelfTestResults(async () => ({ state: 'failed', items: [], walls }));
    const said = { a: true, b: true, c: true, d: false };
    expect([tests.shown(false).state, tests.proven(said, false)]).toEqual(['not-run', undefined]);
    const running = tests.run(false);
    expect([tests.shown(false).state, tests.proven(said, false)]).toEqual(['running', undefined]);
    expect(await running).toEqual({ state: 'failed', items: [] });
    expect(tests.proven(said, false)).toEqual({ a: true, b: false, c: false, d: false });
    expect(tests.held(false)).toEqual(walls);
  });

  it('are apart for hosts with the compiler', async () => {
    const tests = createSelfTestResults(async (jit) => ({
      state: jit ? 'failed' : 'passed',
      items: [],
      walls: {},
    }));
    await tests.run(true);
    expect([tests.shown(true).state, tests.shown(false).state]).toEqual(['failed', 'not-run']);
    expect((await tests.run(false)).state).toBe('passed');
  });

  it('come from one run at a time', async () => {
    let runs = 0;
    const tests = createSelfTestResults(async () => {
      runs += 1;
      return { state: 'passed', items: [], walls: {} };
    });
    const [first, second] = await Promise.all([tests.run(false), tests.run(false)]);
    expect([runs, first.state, second.state]).toEqual([1, 'passed', 'running']);
  });
});
