// The databases that the benchmark runs on: what Cloister is configured with, and the servers beside it.
import { randomBytes } from 'node:crypto';
import { MongoClient, ObjectId } from 'mongodb';
import type { JsonObject } from '../src/lib/json/json.ts';
import { launchServer } from '../test/helpers/store/mongod.ts';

/** Where the servers of one run have their data. */
export interface EngineData {
  /** The block `database` of Cloister's configuration. */
  readonly database: JsonObject;
  /** The connection string of the baseline; in SQLite its data are in a folder of its own. */
  readonly baselineUri?: string;
  /** The process of the database where it is one of its own on this machine. */
  readonly pid?: number;
  /** Adds books past Cloister, copies of one that it stored but for their own fields: millions take minutes through the API. */
  addBooks?(books: readonly JsonObject[]): Promise<void>;
  /** Removes the data of both. */
  dispose(): Promise<void>;
}

export type BaselineName = 'hard' | 'floor' | 'ordinary';

/** A script of this folder, and the mode that it gets as its last argument. */
export interface Baseline {
  readonly script: string;
  readonly mode?: string;
}

export interface Engine {
  readonly name: 'sqlite' | 'mongodb';
  /** The servers beside Cloister, the one that aims are judged by first. */
  readonly baselines: Readonly<Partial<Record<BaselineName, Baseline>>>;
  createData(): Promise<EngineData>;
  stop(): Promise<void>;
}

const CONNECTION_STRING = /^(?<hosts>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?<options>\?.*)?$/;

function withDatabase(uri: string, name: string): string {
  const { hosts = '', options = '' } = CONNECTION_STRING.exec(uri)?.groups ?? {};
  return `${hosts}/${name}${options}`;
}

const sqlite: Engine = {
  name: 'sqlite',
  baselines: {
    hard: { script: 'sqlite-hard-baseline.ts', mode: 'objects' },
    floor: { script: 'sqlite-hard-baseline.ts', mode: 'texts' },
    ordinary: { script: 'sqlite-baseline.ts' },
  },
  createData: async () => ({ database: {}, dispose: async () => {} }),
  stop: async () => {},
};

/** A replica set of one member that goes with the benchmark, unless `uri` names a deployment. */
async function openMongodb(uri: string | undefined): Promise<Engine> {
  const server = uri === undefined ? await launchServer({ replicaSet: true }) : undefined;
  const deployment = uri ?? server?.uri ?? '';
  const client = new MongoClient(deployment);
  const { pid } = server === undefined ? {} : await client.db('admin').command({ serverStatus: 1 });
  return {
    name: 'mongodb',
    baselines: { ordinary: { script: 'mongodb-baseline.ts' } },
    async createData() {
      const own = `cloister-bench-${randomBytes(4).toString('hex')}`;
      const cloister = `${own}-cloister`;
      const baseline = `${own}-baseline`;
      return {
        database: { engine: 'mongodb', mongodb: { uri: withDatabase(deployment, cloister) } },
        baselineUri: withDatabase(deployment, baseline),
        ...(pid === undefined ? {} : { pid: Number(pid) }),
        async addBooks(books) {
          const collection = client.db(cloister).collection('books');
          const stored = await collection.findOne();
          const copies = books.map((book) => ({ ...stored, ...book, _id: new ObjectId() }));
          await collection.insertMany(copies, { ordered: false });
        },
        async dispose() {
          for (const name of [cloister, baseline]) await client.db(name).dropDatabase();
        },
      };
    },
    async stop() {
      await client.close();
      await server?.dispose();
    },
  };
}

/** Throws for a name that is no engine. `uri` is of a MongoDB deployment that is there already. */
export async function openEngine(name: string, uri?: string): Promise<Engine> {
  if (name === 'sqlite') return sqlite;
  if (name === 'mongodb') return openMongodb(uri);
  throw new Error(`no engine is called ${name}`);
}
