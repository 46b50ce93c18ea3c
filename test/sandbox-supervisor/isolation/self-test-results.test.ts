import { describe, expect, it } from 'vitest';
import {
  createSelfTestResults,
  evaluateAttempt,
  layersThatHeld,
  NATIVE_ATTEMPTS,
  NODE_ATTEMPTS,
} from '../../../src/sandbox-supervisor/isolation/self-test-results.ts';

describe('the result of a self-test attempt', () => {
  it('is held when it got nothing', () => {
    expect(evaluateAttempt('read', '', { permissions: true })).toEqual({
      item: { attempt: 'read a file', held: true, detail: 'refused' },
      broken: false,
      stoppedBy: ['permissions'],
    });
  });

  it('is broken when an active layer should have stopped it', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { selfLock: true });
    expect([item.held, item.detail, broken]).toEqual([false, 'it was done', true]);
  });

  it('is not held, but not broken, where no layer stops it', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { permissions: true });
    expect([item.held, broken]).toEqual([false, false]);
    expect(item.detail).toBe('it was done; no layer of this level stops it');
  });

  it('is broken when an attempt was not made that every host stops', () => {
    expect(evaluateAttempt('guest-loop', undefined, {}).broken).toBe(true);
  });

  it('is broken for an unknown attempt that succeeded', () => {
    expect(evaluateAttempt('something new', 'it was done', {}).broken).toBe(true);
    expect(evaluateAttempt('__proto__', 'it was done', {}).broken).toBe(true);
  });

  it('is not broken by what the just-in-time compiler needs', () => {
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: true }).broken,
    ).toBe(true);
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: false }).broken,
    ).toBe(false);
  });

  it('disproves the layers that should have stopped it, or all where every host should have', () => {
    const layers = { selfLock: true, permissions: true, limits: true };
    const held = evaluateAttempt('read', '', layers);
    expect(layersThatHeld(layers, [held])).toEqual(layers);
    const broken = evaluateAttempt('native-read', 'it was done', layers);
    expect(layersThatHeld(layers, [held, broken])).toEqual({ ...layers, selfLock: false });
    expect(layersThatHeld(layers, [held, evaluateAttempt('guest-loop', 'it ran on', layers)])).toEqual({});
  });

  it('has a description for each attempt', () => {
    const words = [...NODE_ATTEMPTS, ...NATIVE_ATTEMPTS].map(
      (name) => evaluateAttempt(name, '', {}).item.attempt,
    );
    expect(new Set(words).size).toBe(words.length);
    expect(words.length).toBeGreaterThan(25);
  });
});

describe('the results of the self-test', () => {
  it('prove nothing before it has run, then the layers that held', async () => {
    const held = { a: true, b: false };
    const results = createSelfTestResults(async () => ({ state: 'failed', items: [], layers: held }));
    const layers = { a: true, b: true, c: true, d: false };
    const latest = () => [results.latest(false).state, results.provenLayers(layers, false)];
    expect(latest()).toEqual(['not-run', undefined]);
    const running = results.run(false);
    expect(latest()).toEqual(['running', undefined]);
    expect(await running).toEqual({ state: 'failed', items: [] });
    expect(latest()).toEqual(['failed', { a: true, b: false, c: false, d: false }]);
    expect(results.heldLayers(false)).toEqual(held);
  });

  it('are apart for hosts with the just-in-time compiler', async () => {
    const results = createSelfTestResults(async (jit) => ({
      state: jit ? 'failed' : 'passed',
      items: [],
      layers: {},
    }));
    await results.run(true);
    expect([results.latest(true).state, results.latest(false).state]).toEqual(['failed', 'not-run']);
    expect((await results.run(false)).state).toBe('passed');
  });

  it('come from one run at a time', async () => {
    let runs = 0;
    const results = createSelfTestResults(async () => {
      runs += 1;
      return { state: 'passed', items: [], layers: {} };
    });
    const [first, second] = await Promise.all([results.run(false), results.run(false)]);
    expect([runs, first.state, second.state]).toEqual([1, 'passed', 'running']);
  });
});
