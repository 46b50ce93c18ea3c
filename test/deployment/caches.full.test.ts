// Responses that processes keep beside each other: none answers what another one has overwritten, from a cache in memory for a
// second at the most.
import { afterEach, describe, expect, it } from 'vitest';
import {
  type DeployedServer,
  startDeployment,
  type TestDeployment,
} from '../helpers/server-process/deployment.ts';
import { createDatabase, REPLICA_SET } from '../helpers/store/mongo-servers.ts';
import { hasRedis, startRedis as launchRedis, type RedisServer } from '../helpers/store/redis-and-s3.ts';

const SPECS = { '1.0/library/books': { fields: { title: { type: 'String' } }, settings: {} } };
const PATH = '/1.0/library/books';
const ROUNDS = 40;
/** More than a second and what a machine stalls, much less than the five minutes for which answers are kept. */
const MANY_MS = 30_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(env: Readonly<Record<string, string>>): Promise<TestDeployment> {
  const { uri, drop } = createDatabase(REPLICA_SET ?? '');
  closing.push(drop);
  const cached = { CLOISTER_CACHE_ENABLED: 'true', ...env };
  const deployment = await startDeployment({ uri, count: 2, specs: SPECS, env: cached });
  closing.push(() => deployment.close());
  return deployment;
}

const titleOf = async (server: DeployedServer, id: string) => {
  const { status, body, headers } = await server.request('GET', `${PATH}/${id}`);
  expect(status).toBe(200);
  return { title: body.results[0].title as string, cache: headers.get('x-cache') };
};

async function createBook(server: DeployedServer): Promise<string> {
  const { body } = await server.request('POST', PATH, { title: '-1' });
  return body.results[0]._id;
}

/** Reads until the cache is warm, writes elsewhere, and reads again: titles that were older than the write before them. */
async function readStale({ servers }: TestDeployment, rounds: number): Promise<readonly string[]> {
  const [first, second] = servers as [DeployedServer, DeployedServer];
  const id = await createBook(first);
  const stale: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
    for (let warm = 0; warm < 2; warm += 1) await titleOf(reader, id);
    expect((await writer.request('PUT', `${PATH}/${id}`, { title: `${round}` })).status).toBe(200);
    const { title } = await titleOf(reader, id);
    if (title !== `${round}`) stale.push(`${title} after ${round}`);
  }
  return stale;
}

describe('in memory', () => {
  it('a response is at most a second older than what another process has written', async () => {
    const deployment = await start({});
    const [first, second] = deployment.servers as [DeployedServer, DeployedServer];
    const id = await createBook(first);
    await titleOf(second, id);
    expect((await titleOf(second, id)).cache).toBe('HIT');
    await first.request('PUT', `${PATH}/${id}`, { title: 'new' });
    const from = performance.now();
    while ((await titleOf(second, id)).title !== 'new')
      expect(performance.now() - from).toBeLessThan(MANY_MS);
  });
});

describe.skipIf(!hasRedis())('in Redis', () => {
  const startRedis = async (): Promise<RedisServer> => {
    const redis = await launchRedis();
    closing.push(() => redis.dispose());
    return redis;
  };
  const startOn = ({ url }: RedisServer) =>
    start({
      CLOISTER_CACHE_ENGINE: 'redis',
      CLOISTER_CACHE_REDIS_URL: url,
      CLOISTER_CACHE_REDIS_TIMEOUT_MS: '500',
    });

  it('no response is older than what another process has written', async () => {
    const deployment = await startOn(await startRedis());
    expect(await readStale(deployment, ROUNDS)).toEqual([]);
    const [first] = deployment.servers as [DeployedServer];
    const id = await createBook(first);
    await titleOf(first, id);
    expect((await titleOf(first, id)).cache).toBe('HIT');
  });

  it('nor while it hangs, is away, or has lost its marks', async () => {
    const redis = await startRedis();
    const deployment = await startOn(redis);
    expect(await readStale(deployment, 4)).toEqual([]);
    await redis.freeze();
    expect(await readStale(deployment, 6)).toEqual([]);
    redis.thaw();
    expect(await readStale(deployment, 6)).toEqual([]);
    await redis.restart();
    expect(await readStale(deployment, 6)).toEqual([]);
    await redis.command('FLUSHALL');
    expect(await readStale(deployment, 6)).toEqual([]);
    const [first] = deployment.servers as [DeployedServer];
    const id = await createBook(first);
    await expect.poll(async () => (await titleOf(first, id)).cache).toBe('HIT');
  });
});
