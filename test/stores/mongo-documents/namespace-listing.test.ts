// Which name spaces of a real server hold documents.
import { expect, onTestFinished, test } from 'vitest';
import { listNamespaces } from '../../../src/stores/mongo-documents/namespace-listing.ts';
import { describeMongo, ownDatabase, rawClient } from '../../helpers/mongo-servers.ts';
import { openConnection } from './connections.ts';

async function openFilled(server: string) {
  const uri = await ownDatabase(server);
  const database = rawClient(uri).db();
  for (const name of ['books', 'cloister.clients', 'cloister.indexes', 'system.js']) {
    await database.collection(name).insertOne({});
  }
  await database.createCollection('empty');
  await database.createCollection('view', { viewOn: 'books', pipeline: [] });
  const other = rawClient(uri).db(`${database.databaseName}-2`);
  onTestFinished(async () => void (await other.dropDatabase()));
  await other.collection('books').insertOne({});
  await other.collection('cloister.indexes').insertOne({});
  const ask = async (separateDatabases: boolean) => {
    const { connection } = openConnection(uri, { separateDatabases });
    const found = await connection.run({}, (scope) =>
      listNamespaces(scope, { connection, separateDatabases }),
    );
    expect(found.find(({ collection }) => collection === 'view')?.readOnly).toMatch(/^it is a view/);
    return found
      .filter((ns) => ns.database?.startsWith(database.databaseName) !== false)
      .map((ns) => `${ns.database}/${ns.collection}`)
      .sort();
  };
  return { ask, own: database.databaseName };
}

describeMongo('filled name spaces', ({ standalone }) => {
  test('are those of the one database', async () => {
    const { ask } = await openFilled(standalone);
    expect(await ask(false)).toEqual(['null/books', 'null/cloister.clients', 'null/view']);
  });

  test('are those of all databases by their names, where each has its own', async () => {
    const { ask, own } = await openFilled(standalone);
    const theirs = [`${own}-2/books`, `${own}-2/cloister.indexes`];
    expect(await ask(true)).toEqual(
      ['null/cloister.clients', ...theirs, `${own}/books`, `${own}/view`].sort(),
    );
  });
});
