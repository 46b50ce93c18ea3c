// Each database folder has a database of its own on the server, named exactly as the folder.
import { expect, it } from 'vitest';
import { startApp } from '../helpers/app/app.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { mongoEnvironment } from '../helpers/temp/workspace.ts';

const PLAIN = { fields: { title: { type: 'String' } }, settings: { storeRevisions: true } };

describeMongo('Database folders', (servers) => {
  it.each(Object.entries(servers))('are databases: %s', async (kind, server) => {
    const [shop, store] = [`shop-${process.pid}`, `Store-${process.pid}`];
    const { uri, name, drop } = createDatabase(server);
    const author = { type: 'Reference', settings: { database: store, collection: 'people' } };
    const app = await startApp({
      specs: {
        [`1.0/${shop}/books`]: { ...PLAIN, fields: { ...PLAIN.fields, author } },
        [`1.0/${store}/books`]: PLAIN,
        [`1.0/${store}/people`]: { fields: { name: { required: true } }, settings: {} },
      },
      config: { database: { enableCollectionDatabases: true } },
      env: mongoEnvironment(uri),
    });
    const client = rawClient(server);
    const collections = async (database: string) =>
      (await client.db(database).listCollections({}, { nameOnly: true }).toArray())
        .map((found) => found.name)
        .sort();
    try {
      const body = { title: 'x', author: { name: 'Ann' } };
      const created = await app.inject('POST', `/1.0/${shop}/books`, { body });
      expect(created.status, created.text).toBe(200);
      expect((await app.inject('POST', `/1.0/${store}/books`, { body: { title: 'y' } })).status).toBe(200);
      const refused = [body, { title: 'z', author: { name: '' } }];
      expect((await app.inject('POST', `/1.0/${shop}/books`, { body: refused })).status).toBe(400);
      expect(await collections(shop)).toEqual(['books', 'booksHistory']);
      expect(await collections(store)).toEqual(['books', 'booksHistory', 'people']);
      expect((await collections(name)).every((found) => found.startsWith('cloister.'))).toBe(true);
      expect(await client.db(store).collection('books').countDocuments()).toBe(1);
      expect(await client.db(store).collection('people').find().toArray()).toMatchObject([{ name: 'Ann' }]);
      const { body: found } = await app.inject('GET', `/1.0/${shop}/books?compose=true`);
      expect(found.results).toMatchObject([{ title: 'x', author: { name: 'Ann' } }]);
    } finally {
      await app.close();
      await Promise.all([drop(), ...[shop, store].map((database) => client.db(database).dropDatabase())]);
    }
    expect(kind).toMatch(/standalone|replicaSet/);
  });

  it('cannot be named as what the server keeps for itself', async () => {
    const { uri, drop } = createDatabase(servers.standalone);
    const app = await startApp({ specs: {}, env: mongoEnvironment(uri) });
    const paths = ['/1.0/admin/books', '/1.0/local/books', '/1.0/config/books', '/1.0/library/system.users'];
    for (const path of [...paths, `/1.0/${'d'.repeat(64)}/books`]) {
      const { status, body } = await app.inject('POST', `${path}/config`, { body: PLAIN });
      expect([path, status]).toEqual([path, 400]);
      expect(body.errors[0].message).not.toMatch(/mongo/i);
    }
    await app.close();
    await drop();
  });
});
