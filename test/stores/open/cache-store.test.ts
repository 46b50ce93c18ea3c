import { expect, it } from 'vitest';
import { type CacheSettings, isSharedCache, openCacheStore } from '../../../src/stores/open/cache-store.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const settings: CacheSettings = {
  engine: 'memory',
  path: 'cache',
  maxBytes: 1_048_576,
  redis: { url: 'redis://name:secret@127.0.0.1:1', timeoutMs: 50 },
};

it.each(['memory', 'filesystem'] as const)(
  'opens the %s cache that the configuration names',
  async (engine) => {
    const cwd = await temporaryFolder();
    const cache = await openCacheStore(
      { ...settings, engine },
      { cwd, now: Date.now, log: { warn: () => {} } },
    );
    await cache.set('a', '1', 1000);
    expect(await cache.get('a')).toBe('1');
    await cache.close();
  },
);

it('the name of an engine tells which caches several processes share', () => {
  const shared = (['memory', 'filesystem', 'redis'] as const).filter((engine) => isSharedCache({ engine }));
  expect(shared).toEqual(['redis']);
});

it('a Redis that is away has one line a minute in the log, without a secret', async () => {
  const lines: string[] = [];
  const log = {
    warn: (fields: object, message: string) => void lines.push(JSON.stringify(fields) + message),
  };
  let time = 0;
  let failures = 0;
  const now = () => {
    failures += 1;
    return time;
  };
  const cache = await openCacheStore({ ...settings, engine: 'redis' }, { cwd: '/', now, log });
  await expect.poll(() => lines.length).toBe(1);
  const told = failures;
  await expect.poll(() => failures).toBeGreaterThan(told);
  expect(lines).toHaveLength(1);
  time = 60_000;
  await expect.poll(() => lines.length).toBe(2);
  expect(lines.join()).toContain('ECONNREFUSED');
  expect(lines.join()).not.toContain('secret');
  await cache.close();
});

it('a Redis cache without an address is not opened', async () => {
  const opened = openCacheStore(
    { ...settings, engine: 'redis', redis: { timeoutMs: 50 } },
    { cwd: '/', now: Date.now, log: { warn: () => {} } },
  );
  await expect(opened).rejects.toThrow('cache.redis.url is missing');
});
