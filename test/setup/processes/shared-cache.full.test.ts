// Two servers on one MongoDB, in this process: they share a cache in Redis, and each has in it what the other has written.
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../helpers/app/app.ts';
import { BOOKS } from '../../helpers/fixtures/library.ts';
import { describeMongo, ownDatabase } from '../../helpers/store/mongo-servers.ts';
import { hasRedis, startRedis } from '../../helpers/store/redis-and-s3.ts';
import { mongoEnvironment } from '../../helpers/temp/workspace.ts';

const PATH = '/1.0/library/books';

describeMongo('two servers with one cache', ({ replicaSet }) => {
  it.runIf(hasRedis())('answer from it, and never what one of them has overwritten', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const database = mongoEnvironment(await ownDatabase(replicaSet));
    const start = async () => {
      const app = await startApp({
        specs: { '1.0/library/books': BOOKS },
        config: { cache: { enabled: true, engine: 'redis', redis: { url: redis.url, timeoutMs: 10_000 } } },
        env: { ...database, CLOISTER_AUTH_AUDIT_KEY: 'k'.repeat(32) },
      });
      onTestFinished(() => app.close());
      await app.app.started;
      return app;
    };
    const [first, second] = [await start(), await start()];
    const created = await first.inject('POST', PATH, { body: { title: '0' } });
    const one = `${PATH}/${created.body.results[0]._id}`;
    // Again while it is refused: a machine that stalls cuts servers off from each other.
    const whileBusy = async (send: () => ReturnType<typeof first.inject>) => {
      for (;;) {
        const answer = await send();
        if (answer.status !== 503) return answer;
      }
    };
    const read = async (app: typeof first) => {
      const { headers, body } = await whileBusy(() => app.inject('GET', one));
      return [headers['x-cache'], body.results[0].title];
    };
    await expect.poll(() => read(second)).toEqual(['HIT', '0']);
    await expect.poll(() => read(first)).toEqual(['HIT', '0']);
    for (let round = 1; round <= 4; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first];
      const written = await whileBusy(() => writer.inject('PUT', one, { body: { title: `${round}` } }));
      expect(written.status).toBe(200);
      expect((await read(reader))[1]).toBe(`${round}`);
    }
  });
});
