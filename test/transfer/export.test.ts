import { describe, expect, it } from 'vitest';
import type { DocumentStore, Namespace } from '../../src/stores/ports.ts';
import { createExporter } from '../../src/transfer/export.ts';
import { BOOKS, idOf, insert, NEIGHBOUR } from '../contracts/store-cases.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

async function exported(store: DocumentStore, separateDatabases = false) {
  const exporter = createExporter({ store, separateDatabases, now: Date.now });
  const plan = await exporter.plan();
  const late: string[] = [];
  let text = '';
  let documents = 0;
  for await (const chunk of exporter.chunks(plan, (notice) => late.push(notice))) {
    text += chunk.text;
    documents += chunk.documents;
  }
  return { plan, late, text, documents };
}

const ELSEWHERE: Namespace = { database: 'library', collection: 'books' };
const CLIENTS: Namespace = { database: null, collection: 'cloister.clients' };

describe('an export', () => {
  it('gives nothing of an empty store', async () => {
    const { store } = await openTemporaryStore();
    expect(await exported(store)).toEqual({
      plan: { namespaces: [], documents: 0, notices: [] },
      late: [],
      text: '',
      documents: 0,
    });
  });

  it('writes a line for each document: namespaces by name, documents by id, members as stored', async () => {
    const { store } = await openTemporaryStore();
    await store.commit([
      insert(NEIGHBOUR, 1, { z: 1, a: 2 }),
      insert(BOOKS, 2, { text: 'line\nfeed \u2028 \r "quoted"' }),
      insert(BOOKS, 1, { list: [{ x: null }], history: [idOf(7)] }),
    ]);
    const { text, documents } = await exported(store);
    const stored = async (ns: Namespace) =>
      store.findText(ns, { filter: { kind: 'and', filters: [] }, sort: [], skip: 0, limit: 9 });
    const lines = [
      ...(await stored(BOOKS)).map((one) => `{"database":null,"collection":"books","document":${one}}`),
      ...(await stored(NEIGHBOUR)).map(
        (one) => `{"database":null,"collection":"bookshelves","document":${one}}`,
      ),
    ];
    expect(text).toBe(lines.map((line) => `${line}\n`).join(''));
    expect(documents).toBe(3);
    for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line).document.v).toBe(1);
  });

  it('is the same for equal data, however they came', async () => {
    const { store: one } = await openTemporaryStore();
    const { store: other } = await openTemporaryStore();
    const writes = Array.from({ length: 300 }, (_, n) => insert(n % 3 === 0 ? NEIGHBOUR : BOOKS, n, { n }));
    await one.commit(writes);
    for (const write of writes.toReversed()) await other.commit([write]);
    expect((await exported(one)).text).toBe((await exported(other)).text);
  });

  it('leaves out what the server keeps for itself, without a word', async () => {
    const { store } = await openTemporaryStore();
    await store.commit([insert(CLIENTS, 1, { secret: 'hash' }), insert(BOOKS, 1, {})]);
    const { plan, text } = await exported(store);
    expect(plan).toEqual({ namespaces: [{ ns: BOOKS, documents: 1 }], documents: 1, notices: [] });
    expect(text).not.toContain('hash');
  });

  it('leaves out what the site cannot reach, and says so', async () => {
    const { store } = await openTemporaryStore();
    const odd: Namespace = { database: null, collection: 'my books' };
    await store.commit([insert(ELSEWHERE, 1, {}), insert(BOOKS, 1, {}), insert(odd, 1, {})]);
    const { plan } = await exported(store);
    expect(plan.documents).toBe(1);
    expect(plan.notices).toEqual([
      expect.stringMatching(/^my books is left out: the name of the collection must be letters/),
      'library/books is left out: it has a database, but `database.enableCollectionDatabases` is off',
    ]);
    const apart = await exported(store, true);
    expect(apart.text).toMatch(/^\{"database":"library","collection":"books","document":\{.*\}\}\n$/);
    expect(apart.plan.notices).toHaveLength(2);
  });

  it('tells when documents were missed, and not when others removed them', async () => {
    const { store } = await openTemporaryStore();
    await store.commit([1, 2, 3].map((n) => insert(BOOKS, n, {})));
    const blind: DocumentStore = {
      ...store,
      collections: () => store.collections(),
      findText: async (...args) => (await store.findText(...args)).slice(0, 2),
    };
    expect((await exported(blind)).late).toEqual(['books: 1 of its documents were missed']);

    const exporter = createExporter({ store, separateDatabases: false, now: Date.now });
    const plan = await exporter.plan();
    await store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(2), v: 1 }]);
    const notices: string[] = [];
    for await (const _ of exporter.chunks(plan, (notice) => notices.push(notice)));
    expect(notices).toEqual([]);
  });
});
