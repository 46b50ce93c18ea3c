// Two servers on one database that count in one Redis: logins and calls of endpoints are limited for both together, and in any one
// of them up to the whole limit, whatever becomes of Redis.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeployedServer,
  startDeployment,
  type TestDeployment,
} from '../../helpers/server-process/deployment.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';
import { createDatabase, REPLICA_SET } from '../../helpers/store/mongo-servers.ts';
import { hasRedis, type RedisServer, startRedis } from '../../helpers/store/redis-and-s3.ts';

const LIMIT = 10;
const SHARE = 5;
const AWAY = 'the shared cache cannot be reached';
const BACK = 'the shared cache is used again';
const ANSWER = "module.exports.get = (req, res) => res.end('called');";

describe.runIf(hasRedis())('limits that two servers count in Redis', () => {
  let redis: RedisServer;
  let database: ReturnType<typeof createDatabase>;
  let deployment: TestDeployment;
  let first: DeployedServer;
  let second: DeployedServer;

  beforeAll(async () => {
    redis = await startRedis();
    database = createDatabase(REPLICA_SET ?? '');
    const env = {
      CLOISTER_CACHE_ENGINE: 'redis',
      CLOISTER_CACHE_REDIS_URL: redis.url,
      CLOISTER_CACHE_REDIS_TIMEOUT_MS: '5000',
      CLOISTER_AUTH_RATE_LIMIT_PER_CLIENT: String(LIMIT),
      CLOISTER_AUTH_RATE_LIMIT_WINDOW_SECONDS: '3600',
    };
    deployment = await startDeployment({ uri: database.uri, count: 2, env });
    [first, second] = deployment.servers as [DeployedServer, DeployedServer];
  });

  afterAll(async () => {
    await deployment.close();
    await database.drop();
    await redis.dispose();
  });

  const login = async ({ server }: DeployedServer, clientId: string, secret = 'wrong') => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ clientId, secret });
    const answer = await fetch(`${server.url}/token`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const call = async ({ server, token }: DeployedServer, path: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    return answer.status;
  };
  const times = <T>(count: number, work: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, work));
  /** How many of so many calls were within the limit. All others were above it. */
  const within = async (server: DeployedServer, path: string, calls: number) => {
    const statuses = await times(calls, () => call(server, path));
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  /** Makes an endpoint of which one call was made at each server, in a minute that lasts an hour. */
  const createEndpoint = async (name: string) => {
    const path = `/1.0/${name}`;
    expect(await first.post(`${path}/config`, ANSWER)).toBe(200);
    const policy = { version: 1, limits: { perMinute: LIMIT } };
    expect((await first.request('PUT', `${path}/policy`, policy)).status).toBe(200);
    await expect
      .poll(async () => (await second.request('GET', `${path}/policy`)).body)
      .toMatchObject({ limits: { perMinute: LIMIT } });
    await redis.command('FLUSHALL');
    expect(await call(first, path)).toBe(200);
    for (const key of (await redis.command('KEYS', 'cloister:count:*')) as string[]) {
      await redis.command('PEXPIRE', key, '3600000');
    }
    expect(await call(second, path)).toBe(200);
    return path;
  };
  const lines = ({ server }: DeployedServer, text: string) => server.output().split(text).length - 1;
  const isBack = () =>
    expect
      .poll(() => [first, second].every((server) => lines(server, AWAY) === lines(server, BACK)), {
        timeout: 30_000,
      })
      .toBe(true);

  it('let all failed logins of a client be made at one of them', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < LIMIT + 2; at += 1) statuses.push(await login(first, 'one'));
    expect(statuses).toEqual([...Array(LIMIT).fill(401), 429, 429]);
    expect(await login(second, 'one')).toBe(429);
  });

  it('let no more of them be made at both together, also at the same time, and count no success', async () => {
    const attempts = [first, second].flatMap((server) => [
      ...Array.from({ length: 2 * LIMIT }, () => login(server, 'spread')),
      login(server, ADMIN.clientId, ADMIN.secret),
    ]);
    const statuses = await Promise.all(attempts);
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([count(401), count(429), count(200)]).toEqual([LIMIT, 3 * LIMIT, 2]);
  });

  it('let all calls of a minute be made at one of them', async () => {
    const path = await createEndpoint('one');
    expect(await within(first, path, 30)).toBe(LIMIT - 2);
    expect(await within(second, path, 30)).toBe(0);
  });

  it('let no more of them be made at both together', async () => {
    const path = await createEndpoint('spread');
    const made = await Promise.all([within(first, path, 30), within(second, path, 30)]);
    expect(made[0] + made[1]).toBe(LIMIT - 2);
  });

  it('are divided while Redis hangs, and count as before when it goes on', async () => {
    const path = await createEndpoint('hung');
    await redis.freeze();
    expect(await within(first, path, 30)).toBe(SHARE - 1);
    expect(await within(second, path, 30)).toBe(SHARE - 1);
    const failures = [];
    for (let at = 0; at < LIMIT; at += 1) failures.push(await login(first, 'hung'));
    expect(failures).toEqual([...Array(SHARE).fill(401), ...Array(LIMIT - SHARE).fill(429)]);
    // One line for as long as it hangs, of each server that noticed it.
    expect([1, 2]).toContain(lines(first, AWAY) + lines(second, AWAY));
    redis.thaw();
    await isBack();
    // More than its part: it asks Redis again, once it knows that the other one reaches it too.
    await expect.poll(() => login(first, 'hung'), { timeout: 30_000 }).toBe(401);
    let made = 2 * SHARE;
    const more = async () => (await within(first, path, 5)) + (await within(second, path, 5));
    await expect
      .poll(async () => {
        const passed = await more();
        made += passed;
        return passed;
      })
      .toBe(0);
    expect([made < 2 * LIMIT, made]).toEqual([true, expect.any(Number)]);
  });

  it('answer no 5xx, and let less than twice the limit pass, where Redis is killed in the middle', async () => {
    const path = await createEndpoint('killed');
    let made = 2 + (await within(first, path, 2));
    const calling = Promise.all([within(first, path, 10), within(second, path, 10)]);
    await redis.restart();
    made += (await calling).reduce((sum, one) => sum + one, 0);
    await isBack();
    for (let round = 0; round < LIMIT; round += 1) {
      made += (await within(first, path, 2)) + (await within(second, path, 2));
    }
    expect([made >= LIMIT, made < 2 * LIMIT, made]).toEqual([true, true, expect.any(Number)]);
  });
});
