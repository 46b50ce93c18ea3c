// Signed uploads with two servers on one database: what one signs the other takes, once on both together.
import { expect, it } from 'vitest';
import { removeExpiredTokens } from '../../src/media/used-upload-tokens.ts';
import { openMongoDocuments } from '../../src/stores/mongo-documents/store.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { sign, upload } from '../helpers/app/media-server.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { mongoEnvironment } from '../helpers/temp/workspace.ts';

const SPECS = { '1.0/library/images': { fields: { caption: {} }, settings: { type: 'media' } } };
const PATH = '/1.0/library/images';
const ROUNDS = 3;
const LOG = { debug() {}, info() {}, warn() {}, error() {} };

describeMongo('Two servers on one database', (servers) => {
  it.each(Object.entries(servers))('take a signed upload once: %s', async (_kind, server) => {
    const { uri, name, drop } = createDatabase(server);
    // Each has a folder of its own, and would make a key of its own.
    const env = { ...mongoEnvironment(uri), CLOISTER_AUTH_AUDIT_KEY: 'k'.repeat(32) };
    const options = { specs: SPECS, env };
    const apps = [await startApp(options), await startApp(options)] as const;
    const [first, second] = apps;
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const url = await sign(first, '/api/media/sign');
        const attempts = Array.from({ length: 10 }, (_, at) => upload(apps[at % 2 === 0 ? 0 : 1], url));
        const outcomes = (await Promise.all(attempts)).map(({ status, body }) => `${status} ${body.name}`);
        expect(outcomes.sort()).toEqual(['201 undefined', ...Array(9).fill('400 TokenUsedError')]);
        expect((await upload(second, url)).body.name).toBe('TokenUsedError');
        const counted = await second.inject('GET', `${PATH}/count`);
        expect(counted.body.metadata.totalCount).toBe(round);
      }
      await forgetsThem(uri, name);
      await endsWithTheClient(apps);
    } finally {
      await Promise.all(apps.map((app) => app.close()));
      await drop();
    }
  });

  const rows = (uri: string, name: string) =>
    rawClient(uri).db(name).collection('cloister.upload-tokens').countDocuments();

  /** Rows of used tokens go once the tokens have expired, and not before. */
  async function forgetsThem(uri: string, name: string): Promise<void> {
    const store = openMongoDocuments({
      uri,
      maxPoolSize: 10,
      minPoolSize: 0,
      separateDatabases: false,
      queryMs: 10_000,
      log: LOG,
    });
    const deadline = () => Date.now() + 10_000;
    try {
      expect(await rows(uri, name)).toBe(ROUNDS);
      expect(await removeExpiredTokens(store, Date.now(), deadline)).toBe(0);
      expect(await removeExpiredTokens(store, Date.now() + 7_200_000, deadline)).toBe(ROUNDS);
      expect(await rows(uri, name)).toBe(0);
    } finally {
      await store.close();
    }
  }

  /** A client that one server removes signs for none. */
  async function endsWithTheClient(apps: readonly [TestApp, TestApp]): Promise<void> {
    const [first, second] = apps;
    const token = await first.userToken('signer');
    const body = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
    const { url } = (await second.inject('POST', '/api/media/sign', { token, body })).body;
    expect((await upload(second, url, { fileName: 'other.jpg' })).body.name).toBe('Unexpected filename');
    await first.inject('DELETE', '/api/clients/signer');
    const name = async () => (await upload(second, url, { fileName: 'other.jpg' })).body.name;
    await expect.poll(name).toBe('JsonWebTokenError');
  }
});
