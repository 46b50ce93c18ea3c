// The driver's failures as a real server brings them about, and those that it is hard to bring about by their shape.
import {
  BSON,
  type Document,
  MongoBulkWriteError,
  MongoClient,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import {
  driverErrorToStoreError,
  isTransientTransactionError,
  isUnknownCommitResult,
} from '../../../../src/stores/mongo-documents/connection/errors.ts';
import { createDatabase, describeMongo, ownServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { rejection } from '../connections.ts';

const coded = (code: number, more: Document = {}) => new MongoServerError({ errmsg: 'no', code, ...more });

const long = (length: number) => ({ text: 'x'.repeat(length) });

describeMongo('errors of a real server', ({ standalone, replicaSet }) => {
  it.each([
    {
      what: 'a taken _id',
      failure: { reason: 'duplicate', fields: ['_id'] },
      bringAbout: async (db) => {
        await db.collection<{ _id: string }>('books').insertOne({ _id: '1' });
        await db.collection<{ _id: string }>('books').insertOne({ _id: '1' });
      },
    },
    {
      what: 'a value that is there',
      failure: { reason: 'duplicate', fields: ['title', 'author.name'] },
      bringAbout: async (db) => {
        await db.collection('books').createIndex({ title: 1, 'author.name': -1 }, { unique: true });
        await db.collection('books').insertOne({ title: 'larger than the maximum size' });
        await db.collection('books').insertOne({ title: 'larger than the maximum size' });
      },
    },
    {
      what: 'two lists in an index',
      failure: { reason: 'parallel-arrays', fields: [] },
      bringAbout: async (db) => {
        await db.collection('books').createIndex({ a: 1, b: 1 });
        await db.collection('books').insertOne({ a: [1], b: [2] });
      },
    },
    {
      what: 'two lists in a sort',
      failure: { reason: 'parallel-arrays' },
      bringAbout: async (db) => {
        await db.collection('books').insertOne({ a: [1], b: [2] });
        await db.collection('books').find().sort({ a: 1, b: 1 }).toArray();
      },
    },
    {
      what: 'a document beyond 16 MB',
      failure: { reason: 'too-large' },
      bringAbout: (db) => db.collection('books').insertOne(long(17_000_000)),
    },
    {
      what: 'one beyond 16 MB among several',
      failure: { reason: 'too-large' },
      bringAbout: (db) => db.collection('books').insertMany([{}, long(17_000_000)]),
    },
    {
      what: 'one beyond what the driver can write',
      failure: { reason: 'too-large' },
      bringAbout: (db) => db.collection('books').insertOne(long(40_000_000)),
    },
    {
      what: 'one that an update makes too large',
      failure: { reason: 'too-large' },
      bringAbout: async (db) => {
        await db.collection('books').insertOne(long(10_000_000));
        await db.collection('books').updateOne({}, { $set: { more: 'x'.repeat(8_000_000) } });
      },
    },
    {
      what: 'what takes too long',
      failure: { reason: 'timeout' },
      bringAbout: async (db) => {
        await db.collection('books').insertMany(Array.from({ length: 2000 }, (_, n) => ({ n })));
        const slow = {
          $expr: {
            $eq: [{ $reduce: { input: { $range: [0, 100_000] }, initialValue: 0, in: '$$this' } }, 1],
          },
        };
        await db.collection('books').find(slow, { maxTimeMS: 5 }).toArray();
      },
    },
  ] satisfies {
    what: string;
    failure: Document;
    bringAbout: (db: ReturnType<MongoClient['db']>) => Promise<unknown>;
  }[])('$what', async ({ failure, bringAbout }) => {
    const { name, drop } = createDatabase(standalone);
    try {
      const error = driverErrorToStoreError(await rejection(bringAbout(rawClient(standalone).db(name))));
      expect(error).toMatchObject(failure);
      expect(error.cause).not.toHaveProperty('errorResponse');
    } finally {
      await drop();
    }
  });

  it('a write conflict of transactions is transient', async () => {
    const { name, drop } = createDatabase(replicaSet);
    const books = rawClient(replicaSet).db(name).collection('books');
    const sessions = [rawClient(replicaSet).startSession(), rawClient(replicaSet).startSession()] as const;
    try {
      await books.insertOne({ n: 1 });
      const add = async (session: (typeof sessions)[number]) => {
        session.startTransaction();
        await books.updateOne({}, { $inc: { n: 1 } }, { session });
      };
      await add(sessions[0]);
      const error = await rejection(add(sessions[1]));
      expect(isTransientTransactionError(error)).toBe(true);
      expect(isUnknownCommitResult(error)).toBe(false);
      expect(driverErrorToStoreError(error)).toMatchObject({ reason: 'busy' });
    } finally {
      for (const session of sessions) await session.endSession();
      await drop();
    }
  });

  it('a server that dies during a write is unavailable, also during several writes', async () => {
    const server = await ownServer();
    const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 500 });
    const books = client.db('site').collection('books');
    try {
      await books.insertOne({});
      await server.kill();
      const writes = [
        books.insertOne({}),
        books.insertMany([{}, {}]),
        books.bulkWrite([{ insertOne: { document: {} } }]),
      ];
      for (const error of await Promise.all(writes.map(rejection))) {
        expect(driverErrorToStoreError(error)).toMatchObject({ reason: 'unavailable' });
      }
      expect(driverErrorToStoreError(await rejection(books.findOne()))).toMatchObject({
        reason: 'unavailable',
      });
    } finally {
      await client.close();
    }
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
}

describe('a driver error', () => {
  it.each([
    [11_000, 'duplicate'],
    [13, 'unavailable'],
    [18, 'unavailable'],
    [50, 'timeout'],
    [112, 'busy'],
    [189, 'unavailable'],
    [10_107, 'unavailable'],
    [11_600, 'unavailable'],
    [13_436, 'unavailable'],
  ])('with the code %d is %s', (code, reason) => {
    expect(driverErrorToStoreError(coded(code))).toMatchObject({ reason });
  });

  it('names the paths of a declared index without the trailing _id', () => {
    const fields = (keyPattern: unknown) => driverErrorToStoreError(coded(11_000, { keyPattern })).fields;
    expect(fields({ title: 1, _id: 1 })).toEqual(['title']);
    expect(fields({ _id: 1 })).toEqual(['_id']);
    expect(fields({ _id: 1, title: 1 })).toEqual(['_id', 'title']);
    for (const odd of [undefined, null, 'title']) expect(fields(odd)).toEqual([]);
  });

  it.each(['MongoWaitQueueTimeoutError', 'MongoTopologyClosedError', 'MongoPoolClosedError'])(
    'of the driver itself has a reason: %s',
    (name) => {
      const error = Object.defineProperty(new MongoInvalidArgumentError('no'), 'name', { value: name });
      const reason = name === 'MongoWaitQueueTimeoutError' ? 'busy' : 'unavailable';
      expect(driverErrorToStoreError(error)).toMatchObject({ reason });
    },
  );

  it('of the network is unavailable, also within a bulk write', () => {
    expect(driverErrorToStoreError(new MongoNetworkError('gone'))).toMatchObject({ reason: 'unavailable' });
    const wrapped = new MongoBulkWriteError(new MongoNetworkError('gone'), {} as never);
    expect(driverErrorToStoreError(wrapped)).toMatchObject({ reason: 'unavailable' });
  });

  it('that is a StoreError is returned unchanged', () => {
    const error = new StoreError('conflict', { index: 3 });
    expect(driverErrorToStoreError(error)).toBe(error);
  });

  it('with an unlisted code is a failure of the database, without details of the driver', () => {
    for (const code of [8, 9, 26, 175, 211, 14_031, 98_765]) {
      const error = driverErrorToStoreError(coded(code, { secret: 'PRIVATE' }));
      expect(error).toMatchObject({ reason: 'failed', cause: { code, message: 'no' } });
      expect(error.cause).not.toHaveProperty('secret');
    }
    expect(driverErrorToStoreError(new MongoInvalidArgumentError('no'))).toMatchObject({ reason: 'failed' });
  });

  it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])('of a socket is unavailable: %s', (code) => {
    const error = Object.assign(new Error('This socket has been ended by the other party'), { code });
    expect(driverErrorToStoreError(error)).toMatchObject({ reason: 'unavailable', cause: { code } });
  });

  it('that is a defect is thrown, unless it is the driver that threw it', () => {
    const defect = new TypeError('no function');
    expect(() => driverErrorToStoreError(defect)).toThrow(defect);
    const invalid = Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(() => driverErrorToStoreError(invalid)).toThrow(invalid);
    expect(driverErrorToStoreError(caught(() => BSON.deserialize(null as never)))).toMatchObject({
      reason: 'failed',
    });
  });

  it('of an overrun driver buffer is too-large', () => {
    const bytes = caught(() => BSON.serialize({ a: new BSON.Binary(Buffer.alloc(20_000_000)) }));
    expect(bytes).toBeInstanceOf(RangeError);
    expect(driverErrorToStoreError(bytes)).toMatchObject({ reason: 'too-large' });
    const ours = caught(() => new Uint8Array(1).set([1, 2]));
    expect(() => driverErrorToStoreError(ours)).toThrow('offset is out of bounds');
  });

  it('is classified by its labels', () => {
    expect(isTransientTransactionError(coded(251, { errorLabels: ['TransientTransactionError'] }))).toBe(
      true,
    );
    expect(isTransientTransactionError(coded(112))).toBe(true);
    expect(isTransientTransactionError(coded(11_000))).toBe(false);
    expect(isTransientTransactionError(new Error('TransientTransactionError'))).toBe(false);
    expect(isUnknownCommitResult(coded(50, { errorLabels: ['UnknownTransactionCommitResult'] }))).toBe(true);
    expect(isUnknownCommitResult(coded(50))).toBe(false);
    expect(isUnknownCommitResult(undefined)).toBe(false);
  });
});
