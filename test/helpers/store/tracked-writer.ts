// A writer that tracks what the server acknowledged and what one unanswered request may have done, and the check of both.

import { expect } from 'vitest';
import type { Client } from '../server-process/client.ts';

interface Entry {
  readonly v: number;
  readonly n: number;
}

/** What a writer's documents must look like, by id; ids of unanswered creates are not known, hence by title. */
type State = ReadonlyMap<string, Entry>;

interface Found extends Entry {
  readonly _id: string;
  readonly title: string;
  readonly history: readonly string[];
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

interface Operation {
  /** What there is when it was done so many times. */
  after(times: number): State;
  send(client: Client): Promise<Answered>;
  /** Whether the answer to a repetition says that it had been done. */
  wasDone(answer: Answered): boolean;
}

export interface TrackedWriter {
  readonly acknowledged: () => number;
  /** Writes until the connection breaks, the server is away (503), or `enough` says so. */
  run(client: Client, enough?: () => boolean): Promise<void>;
  /** Looks whether all is there that was acknowledged, but for what an unanswered request may have changed. */
  expectAcknowledged(client: Client): Promise<void>;
  /**
   * Sends a request that was refused with 503 again until it is answered. Such a write may be done all the same, and be
   * seen only later; a repetition comes after it, and whatever is left of it finds the documents changed.
   */
  settlePending(client: Client): Promise<void>;
  /** The least `v` that each of its documents must have from now on, by title; a document may also have gone. */
  minVersions(): ReadonlyMap<string, number>;
  /** Compares what the server has with what it acknowledged. Rejects with the difference. Resolves with what it found. */
  verify(client: Client): Promise<readonly Found[]>;
}

const PATH = '/1.0/library/ledger';
const KEEP = 12;

/** The specification that a ledger writes under: revisions, a plain and a unique index. */
export const TRACKED_COLLECTION = {
  fields: {
    writer: { type: 'Number' },
    title: { type: 'String', matchType: 'exact' },
    n: { type: 'Number' },
  },
  settings: {
    storeRevisions: true,
    sort: 'title',
    index: [{ keys: { writer: 1, title: 1 } }, { keys: { title: 1 }, options: { unique: true } }],
  },
} as const;

const equal = (expected: State, found: readonly Found[]) =>
  expected.size === found.length &&
  found.every(({ title, v, n }) => expected.get(title)?.v === v && expected.get(title)?.n === n);

function codesOf(body: unknown): readonly unknown[] {
  const { errors } = body as { errors: readonly { code: unknown }[] };
  return errors.map(({ code }) => code);
}

const refusalOf = ({ status, body }: Answered) => new Error(`${status}: ${JSON.stringify(body)}`);

/** `writer` tells ledgers apart: each touches only documents of its own. */
export function createTrackedWriter(writer: number, random: () => number): TrackedWriter {
  let certain: State = new Map();
  let pending: Operation | undefined;
  /** What may have become of the last request, where that is not certain. */
  let possible: readonly State[] = [];
  let ids = new Map<string, string>();
  let serial = 0;
  let acknowledged = 0;

  const pick = () => [...certain.keys()][Math.floor(random() * certain.size)] ?? '';

  const create = (many: number): Operation => {
    const documents = Array.from({ length: many }, () => {
      serial += 1;
      return { writer, n: 0, title: `${writer}/${String(serial).padStart(6, '0')}` };
    });
    const added = documents.map(({ title }) => [title, { v: 1, n: 0 }] as const);
    const after = new Map([...certain, ...added]);
    return {
      after: () => after,
      wasDone: ({ status, body }) => status === 400 && codesOf(body).every((code) => code === 'ERROR_UNIQUE'),
      send: (client) => client.request('POST', PATH, many === 1 ? documents[0] : documents),
    };
  };

  const update = (titles: readonly string[], query: boolean): Operation => {
    serial += 1;
    const n = serial;
    const before = certain;
    return {
      after: (times) => {
        const changed = titles.map(
          (title) => [title, { v: (before.get(title)?.v ?? 0) + times, n }] as const,
        );
        return new Map([...before, ...changed]);
      },
      wasDone: () => false,
      send: (client) =>
        query
          ? client.request('PUT', PATH, { query: { writer, title: { $in: titles } }, update: { n } })
          : client.request('PUT', `${PATH}/${ids.get(titles[0] ?? '')}`, { n }),
    };
  };

  const remove = (titles: readonly string[], query: boolean): Operation => {
    const after = new Map([...certain].filter(([title]) => !titles.includes(title)));
    return {
      after: () => after,
      wasDone: ({ status }) => status === 404,
      send: (client) =>
        query
          ? client.request('DELETE', PATH, { query: { writer, title: { $in: titles } } })
          : client.request('DELETE', `${PATH}/${ids.get(titles[0] ?? '')}`),
    };
  };

  const choose = (): Operation => {
    if (certain.size < 4) return create(random() < 0.5 ? 1 : 5);
    const dice = random();
    if (certain.size > KEEP) return remove([...certain.keys()].slice(0, dice < 0.5 ? 1 : 4), dice >= 0.5);
    if (dice < 0.25) return create(1);
    if (dice < 0.35) return create(5);
    if (dice < 0.75) return update([pick()], false);
    if (dice < 0.9) return update([...certain.keys()].slice(0, 5), true);
    return remove([pick()], random() < 0.5);
  };

  const list = async (client: Client): Promise<readonly Found[]> => {
    const filter = encodeURIComponent(JSON.stringify({ writer }));
    const { body } = await client.request('GET', `${PATH}?filter=${filter}&count=1000`);
    return body.results;
  };

  const learnIds = (body: unknown) => {
    const { results = [] } = (body ?? {}) as { results?: readonly Found[] };
    for (const { title, _id } of results) ids.set(title, _id);
  };

  return {
    acknowledged: () => acknowledged,
    minVersions: () => new Map([...certain].map(([title, { v }]) => [title, v])),
    async run(client, enough = () => false) {
      while (!enough()) {
        const operation = choose();
        pending = operation;
        possible = [operation.after(1)];
        const answer = await operation.send(client).catch(() => undefined);
        if (answer === undefined || answer.status === 503) return;
        if (answer.status >= 300) throw refusalOf(answer);
        learnIds(answer.body);
        certain = operation.after(1);
        pending = undefined;
        acknowledged += 1;
      }
    },
    async settlePending(client) {
      const repeated = pending;
      if (repeated === undefined) return;
      let answer: Answered;
      let repetitions = 0;
      do {
        answer = await repeated.send(client);
        repetitions += 1;
      } while (answer.status === 503);
      if (answer.status >= 300 && !repeated.wasDone(answer)) throw refusalOf(answer);
      certain = repeated.after(1);
      possible = Array.from({ length: repetitions }, (_, more) => repeated.after(2 + more));
      pending = undefined;
    },
    async expectAcknowledged(client) {
      const after = pending?.after(1);
      const found = new Map((await list(client)).map(({ title, v }) => [title, v]));
      for (const [title, { v }] of certain) {
        if (after !== undefined && after.get(title)?.v !== v) continue;
        if (found.get(title) !== v)
          throw new Error(`${title} was acknowledged as ${v}, and is ${found.get(title)}`);
      }
    },
    async verify(client) {
      const found = await list(client);
      const state = [certain, ...possible].find((candidate) => equal(candidate, found));
      if (state === undefined) {
        const shown = JSON.stringify({
          found,
          certain: [...certain],
          possible: possible.map((one) => [...one]),
        });
        throw new Error(
          `the server holds neither what it acknowledged nor what it may have done besides: ${shown}`,
        );
      }
      certain = state;
      pending = undefined;
      possible = [];
      ids = new Map(found.map(({ title, _id }) => [title, _id]));
      return found;
    },
  };
}

/** A small generator of our own, so that a failure can be repeated with the same choices. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

async function expectRevisions(
  client: Client,
  document: { _id: string; v: number; n: number; history: readonly string[] },
) {
  const { body } = await client.request('GET', `/1.0/library/ledger/${document._id}/history?count=1000`);
  expect(body.results.map(({ _id }: { _id: string }) => _id)).toEqual(document.history);
  expect(body.results.map(({ v }: { v: number }) => v)).toEqual(
    Array.from({ length: document.v }, (_, index) => index + 1),
  );
  expect(body.results.at(-1).n).toBe(document.n);
}

/** What is found through the index and without it must be the same documents. */
async function expectAgreement(client: Client, found: number) {
  const { body: counted } = await client.request('GET', '/1.0/library/ledger/count');
  const { body: stats } = await client.request('GET', '/1.0/library/ledger/stats');
  const { body: listed } = await client.request('GET', '/1.0/library/ledger?count=1000&sort={"_id":1}');
  expect(counted.metadata.totalCount).toBe(found);
  expect(stats.count).toBe(found);
  expect(listed.results).toHaveLength(found);
}

/** Rejects with what is wrong. Nobody may write meanwhile. */
export async function verifyWriters(client: Client, ledgers: readonly TrackedWriter[]) {
  const found = (await Promise.all(ledgers.map((ledger) => ledger.verify(client)))).flat();
  await Promise.all(found.map((document) => expectRevisions(client, document)));
  await expectAgreement(client, found.length);
}
