// The servers that other tests rely on are what they are said to be.
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { describeMongo, ownDatabase, ownServer, rawClient } from './store/mongo-servers.ts';

const hello = (uri: string) => rawClient(uri).db('admin').command({ hello: 1 });

describeMongo('the servers of a test run', ({ standalone, replicaSet }) => {
  it('are a lone server and a replica set, of which every member must have a write before it is acknowledged', async () => {
    expect(await hello(standalone)).not.toHaveProperty('setName');
    const { members, ...set } = await rawClient(replicaSet).db('admin').command({ replSetGetStatus: 1 });
    expect(members).toHaveLength(2);
    expect(set['writeMajorityCount']).toBe(2);
  });

  it.each([standalone, replicaSet])('give a test a database of its own', async (uri) => {
    const own = await ownDatabase(uri);
    expect(own).not.toBe(await ownDatabase(uri));
    await rawClient(own).db().collection('things').insertOne({ n: 1 });
    expect(await rawClient(own).db().collection('things').countDocuments()).toBe(1);
  });

  it('come as servers of one test, which keep their data and their port', async () => {
    for (const options of [{}, { replicaSet: true }, { auth: true }]) {
      const server = await ownServer(options);
      const count = async () => {
        const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 5000 });
        await client
          .db('test')
          .collection('things')
          .insertOne({}, { writeConcern: { w: 1, j: true } });
        const found = await client.db('test').collection('things').countDocuments();
        await client.close();
        return found;
      };
      expect(await count()).toBe(1);
      await server.kill();
      await server.start();
      expect(await count()).toBe(2);
      await server.stop();
      await server.start();
      expect(await count()).toBe(3);
      await server.dispose();
    }
  });
});
