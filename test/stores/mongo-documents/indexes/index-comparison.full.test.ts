import { expect, it, onTestFinished } from 'vitest';
import { openMongoComparison } from '../../../../src/stores/mongo-documents/indexes/index-comparison.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import type { IndexDefinition, Namespace } from '../../../../src/stores/ports.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';

const NS: Namespace = { database: null, collection: 'things' };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const index = (paths: readonly string[], options: Partial<IndexDefinition> = {}): IndexDefinition => ({
  name: paths.join('_'),
  keys: paths.map((path) => ({ path, direction: 1 })),
  unique: false,
  sparse: false,
  ...options,
});

async function open(server: string) {
  const uri = await ownDatabase(server);
  const options = {
    uri,
    maxPoolSize: 10,
    minPoolSize: 0,
    separateDatabases: false,
    queryMs: 60_000,
    log: silent,
  };
  const [store, comparison] = [openMongoDocuments(options), openMongoComparison(options)];
  onTestFinished(async () => {
    await comparison.close();
    await store.close();
  });
  const db = rawClient(uri).db();
  return { store, comparison, db, things: db.collection('things') };
}

describeMongo('the comparison of declared indexes with those of a server', ({ standalone }) => {
  it('counts the documents that break a unique index, element by element, missing as null', async () => {
    const { comparison, things } = await open(standalone);
    await things.insertMany([
      { o: [{ y: 1 }, { x: 'a' }] },
      { o: [{ x: 'b' }] },
      { o: { x: 'a' } },
      {},
      { o: [] },
    ]);
    const unique = index(['o.x'], { unique: true });
    const sparse = { ...unique, name: 'sparse', sparse: true };
    const found = await comparison.compare([{ namespace: NS, indexes: [unique, sparse, index(['n'])] }]);
    expect(found.map(({ kind, definition, obstacles }) => [kind, definition.name, obstacles])).toEqual([
      ['missing', 'o.x', { documents: 5, values: 2, parallelArrays: 0 }],
      ['missing', 'sparse', { documents: 2, values: 1, parallelArrays: 0 }],
      ['missing', 'n', { documents: 0, values: 0, parallelArrays: 0 }],
    ]);
  });

  it('says that a view takes no indexes', async () => {
    const { comparison, db } = await open(standalone);
    await db.createCollection('things', { viewOn: 'others', pipeline: [] });
    const found = await comparison.compare([{ namespace: NS, indexes: [index(['a'])] }]);
    expect(found).toMatchObject([{ kind: 'conflict', explanation: expect.stringContaining('is a view') }]);
    expect(await comparison.compare([{ namespace: NS, indexes: [] }])).toEqual([]);
  });

  it('finds none where every index is there, and names those that nobody declares or that stand in the way', async () => {
    const { store, comparison, things } = await open(standalone);
    await things.insertOne({ a: 1 });
    const { built } = await store.ensureIndexes(NS, [index(['a'], { unique: true }), index(['b'])]);
    await built;
    await things.createIndex({ z: 1 }, { name: 'theirs' });
    const compare = async (...indexes: IndexDefinition[]) =>
      (await comparison.compare([{ namespace: NS, indexes }])).map(
        ({ kind, definition }) => `${kind} ${definition.name}`,
      );
    expect(await compare(index(['a'], { unique: true }), index(['b']))).toEqual([]);
    expect(await compare(index(['a'], { unique: true }))).toEqual(['undeclared b']);
    const taken = index(['q'], { name: 'theirs' });
    expect(await compare(index(['a'], { unique: true }), index(['b']), taken)).toEqual(['conflict theirs']);
  });
});
