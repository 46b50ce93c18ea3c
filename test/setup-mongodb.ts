// Before each test file of a project that repeats tests on MongoDB: names the server, and cleans up behind the file.
import { afterAll, beforeEach } from 'vitest';
import { REPLICA_SET, rawClient, STANDALONE } from './helpers/store/mongo-servers.ts';
import { useMongo, WORKSPACE_PREFIX } from './helpers/temp/workspace.ts';

const server = process.env['TEST_MONGODB_KIND'] === 'standalone' ? STANDALONE : REPLICA_SET;

if (server === undefined) {
  beforeEach(({ skip }) => skip('there is no such server'));
} else {
  useMongo(server);
  afterAll(async () => {
    const client = rawClient(server);
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const mine = databases.filter(({ name }) => name.startsWith(WORKSPACE_PREFIX));
    await Promise.all(mine.map(({ name }) => client.db(name).dropDatabase()));
  });
}
