// Whether a server holds what its ledgers say: documents, their revisions, and what indexes find of them.
import { expect } from 'vitest';
import type { Client } from './client.ts';
import type { Ledger } from './ledger.ts';

/** A small generator of our own, so that a failure can be repeated with the same choices. */
export function createRandom(seed: number): () => number {
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
export async function audit(client: Client, ledgers: readonly Ledger[]) {
  const found = (await Promise.all(ledgers.map((ledger) => ledger.audit(client)))).flat();
  await Promise.all(found.map((document) => expectRevisions(client, document)));
  await expectAgreement(client, found.length);
}
