import { describe, expect, it } from 'vitest';
import { buildConfig, settingValuesOf } from '../../src/config/build-config.ts';
import { configOfWorker } from '../../src/config/worker-share.ts';

const configWith = (values: Readonly<Record<string, number | string>>) =>
  buildConfig(new Map(Object.entries(values)));

/** Settings in which the two differ, with what the second says. */
function differences(values: Readonly<Record<string, number | string>>) {
  const whole = configWith(values);
  const before = settingValuesOf(whole);
  const after = settingValuesOf(configOfWorker(whole, 1));
  return Object.fromEntries(
    [...after].filter(([path, value]) => value !== before.get(path) && typeof value !== 'object'),
  );
}

describe('the configuration of a worker', () => {
  it('has a part of every total of the machine, and nothing else that differs', () => {
    expect(differences({ 'server.workers': 4, 'delivery.render.concurrency': 9 })).toEqual({
      'delivery.render.concurrency': 2,
      'delivery.render.queue': 16,
      'delivery.cache.maxBytes': 268_435_456,
      'cache.maxBytes': 16_777_216,
      'sandbox.maxHosts': 4,
      'limits.uploads': 100,
      'limits.uploadsPerClient': 75,
      'limits.stagedBytes': 1_073_741_824,
      'limits.unsentBytes': 41_943_040,
      'limits.connections': 2500,
    });
  });

  it('is the configuration itself where there is one process', () => {
    const config = configWith({});
    expect(configOfWorker(config, 1)).toBe(config);
  });

  it('keeps at least one of each thing, none of what there is none, and secrets with names of their own', () => {
    const values = {
      'server.workers': 64,
      'delivery.render.queue': 0,
      'cache.maxBytes': 1_048_576,
      'sandbox.secrets.KEY': 'the text',
    };
    const { delivery, cache, sandbox, limits } = configOfWorker(configWith(values), 1);
    expect([delivery.render.concurrency, delivery.render.queue, sandbox.maxHosts]).toEqual([1, 0, 1]);
    expect([cache.maxBytes, limits.uploadsPerClient]).toEqual([1_048_576, 4]);
    expect(sandbox.secrets).toEqual({ KEY: 'the text' });
  });

  it('has folders of its own for what only its process knows, and shares those of a bucket', () => {
    const values = { 'server.workers': 3, 'cache.path': 'kept' };
    const pathsOf = (number: number, more = {}) => {
      const { cache, delivery } = configOfWorker(configWith({ ...values, ...more }), number);
      return [cache.path, delivery.cache.path];
    };
    expect(pathsOf(1)).toEqual(['kept', '.cache/delivery']);
    expect(pathsOf(3)).toEqual(['kept/worker-3', '.cache/delivery/worker-3']);
    expect(pathsOf(2, { 'delivery.cache.storage': 's3' })).toEqual(['kept/worker-2', '.cache/delivery']);
  });
});
