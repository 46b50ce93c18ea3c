import { createMemoryCache } from '../../src/stores/memory-cache.ts';
import { describeCacheStore } from '../contracts/cache-store.ts';

describeCacheStore('the memory cache', async (maxBytes) => {
  let time = 1_000_000;
  const cache = createMemoryCache({ maxBytes, now: () => time });
  return {
    cache,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    dispose: () => cache.close(),
  };
});
