// Two workers of one server on the embedded database, with a Redis beside them: connections go to either, limits hold for both.
import { expect, it, onTestFinished } from 'vitest';
import { startWorkers } from '../../helpers/server-process/workers.ts';
import { hasRedis, startRedis } from '../../helpers/store/redis-and-s3.ts';
import { createWorkspace } from '../../helpers/temp/workspace.ts';

const LIMIT = 7;

it.runIf(hasRedis())('workers count failed logins together in Redis', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.dispose());
  const workspace = createWorkspace({});
  onTestFinished(() => workspace.remove());
  const env = {
    CLOISTER_CACHE_ENGINE: 'redis',
    CLOISTER_CACHE_REDIS_URL: redis.url,
    CLOISTER_CACHE_REDIS_TIMEOUT_MS: '5000',
    CLOISTER_AUTH_RATE_LIMIT_PER_CLIENT: String(LIMIT),
    CLOISTER_AUTH_RATE_LIMIT_WINDOW_SECONDS: '3600',
  };
  const { server, ask } = await startWorkers({ cwd: workspace.cwd, count: 2, env });
  onTestFinished(async () => void (await server.stop()));
  const statuses: number[] = [];
  for (let at = 0; at < 2 * LIMIT; at += 1) {
    statuses.push((await ask('POST', '/token', { clientId: 'one', secret: 'wrong' })).status);
  }
  expect(statuses).toEqual([...Array(LIMIT).fill(401), ...Array(LIMIT).fill(429)]);
  expect((await redis.command('KEYS', 'cloister:count:*')) as string[]).toHaveLength(2);
});
