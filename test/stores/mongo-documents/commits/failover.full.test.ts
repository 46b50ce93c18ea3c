// What becomes of commits and reads when the member of a replica set that takes the writes steps down or is killed, and
// when a lone server is.
import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import type { DocumentStore } from '../../../../src/stores/ports.ts';
import { BOOKS, insert, NEIGHBOUR, query } from '../../../contracts/store-cases.ts';
import { describeMongo, ownServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { launchReplicaSet } from '../../../helpers/store/mongod.ts';
import { createLogLines } from '../log-lines.ts';

/** What a server that changes, dies or comes back may be answered with; all else is a defect. */
const OF_THE_DATABASE = ['unavailable', 'timeout', 'busy', 'failed'];

function open(uri: string): DocumentStore {
  const { log } = createLogLines();
  const options = { uri, maxPoolSize: 20, minPoolSize: 0, separateDatabases: false, queryMs: 20_000, log };
  const store = openMongoDocuments(options);
  onTestFinished(() => store.close());
  return store;
}

/** Eight who write pairs and four who read, until `end`. */
function startLoad(store: DocumentStore) {
  const acknowledged: number[] = [];
  const defects: string[] = [];
  let isOver = false;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
      return true;
    } catch (error) {
      const isKnown = error instanceof StoreError && OF_THE_DATABASE.includes(error.reason);
      if (!isKnown) defects.push(String((error as Error).stack));
      return false;
    }
  };
  const write = async (writer: number) => {
    for (let n = writer; !isOver; n += 8) {
      const pair = [insert(BOOKS, n, { n }), insert(NEIGHBOUR, n, {})];
      if (await attempt(() => store.commit(pair))) acknowledged.push(n);
    }
  };
  const read = async () => {
    while (!isOver) {
      await attempt(() => store.find(BOOKS, query({ limit: 20 })));
      await attempt(async () => store.count(BOOKS, MATCH_ALL));
    }
  };
  const load = [
    ...Array.from({ length: 8 }, (_, writer) => write(writer)),
    ...Array.from({ length: 4 }, read),
  ];
  const reaches = async (more: number) => {
    const least = acknowledged.length + more;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(least);
  };
  const end = async () => {
    isOver = true;
    await Promise.all(load);
    return { acknowledged, defects };
  };
  return { reaches, end };
}

async function numbersIn(uri: string, collection: string): Promise<number[]> {
  const documents = await rawClient(uri).db().collection(collection).find().sort({ _id: 1 }).toArray();
  return documents.map(({ _id }) => Number.parseInt(String(_id), 16));
}

describeMongo('a store under load', () => {
  test('applies nothing in part and loses nothing when the primary steps down or is killed', async () => {
    const set = await launchReplicaSet({ electionTimeoutMs: 2000 });
    onTestFinished(() => set.dispose());
    const uri = set.uri.replace('/?', '/failover?');
    const load = startLoad(open(uri));
    const admin = rawClient(uri).db('admin');
    onTestFinished(() => rawClient(uri).close());
    await load.reaches(100);
    // It hands over to another at once; by force, or killed, all wait for an election, of which one is enough.
    for (let stepDown = 0; stepDown < 2; stepDown += 1) {
      await admin.command({ replSetStepDown: 2 }).catch(() => undefined);
      await load.reaches(100);
    }
    await set.killPrimary();
    await load.reaches(100);
    const { acknowledged, defects } = await load.end();
    expect(defects).toEqual([]);
    const [books, neighbours] = [await numbersIn(uri, 'books'), await numbersIn(uri, 'bookshelves')];
    expect(books).toEqual(neighbours);
    const there = new Set(books);
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
  });

  test('loses no acknowledged write when its standalone server is killed repeatedly', async () => {
    const server = await ownServer();
    const uri = `${server.uri}killed`;
    const load = startLoad(open(uri));
    for (let kill = 0; kill < 3; kill += 1) {
      await load.reaches(50);
      await server.kill();
      await server.start();
    }
    await load.reaches(50);
    const { acknowledged, defects } = await load.end();
    expect(defects).toEqual([]);
    const there = new Set(await numbersIn(uri, 'bookshelves'));
    expect(acknowledged.filter((n) => !there.has(n))).toEqual([]);
  });
});
