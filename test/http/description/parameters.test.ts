// Query parameters: what an operation declares is what its handler reads, no more and no less.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type InjectAnswer, startApp, type TestApp } from '../../helpers/app/app.ts';
import { type FoundOperation, operationsOf } from './described-operations.ts';
import { type DescribedSite, startDescribedSite } from './described-site.ts';
import { requestFor } from './requests.ts';

/** Of reads of documents: a value of each that changes what is answered, and what must be sent beside it. */
const READS: Readonly<Record<string, { readonly value: string; readonly beside?: string }>> = {
  filter: { value: '{"title":"Dune"}' },
  count: { value: '1' },
  page: { value: '2' },
  skip: { value: '1' },
  sort: { value: '{"title":-1}' },
  sortOrder: { value: 'desc' },
  fields: { value: '{"title":1}' },
  compose: { value: 'true' },
  includeHistory: { value: 'true' },
  historyFilters: { value: '{"title":"nowhere"}', beside: 'includeHistory=true' },
  cache: { value: 'false' },
  callback: { value: 'show' },
};

/** Names of the query parameters that an operation declares. */
const declaredBy = ({ operation }: FoundOperation): readonly string[] =>
  (operation.parameters ?? []).flatMap(({ in: place, name }: JsonObject) => (place === 'query' ? name : []));

describe('a parameter that is for no read of documents', () => {
  let site: DescribedSite;
  let operations: readonly FoundOperation[];

  beforeAll(async () => {
    site = await startDescribedSite();
    const all = operationsOf(await site.describe('adminReviewer'));
    // Of endpoints, the code decides what is read; uploads have a body that is no JSON.
    const kinds = new Map(all.map((operation) => [operation.id.split('_')[0], operation]));
    operations = [...kinds.values()].filter(({ id }) => !/^(?:call|upload)/.test(id));
  });
  afterAll(() => site.close());

  /** Sends each name twice, which is refused where it is read. Tells the name that the refusal is about. */
  async function refused(operation: FoundOperation, names: readonly string[]): Promise<unknown> {
    const { method } = operation;
    const { path, body, form, type } = await requestFor(site, operation, 'adminReviewer');
    if (form !== undefined) return undefined;
    const headers = type === undefined ? {} : { 'content-type': type };
    const query = names.map((name) => `${name}=1&${name}=1`).join('&');
    const token = site.tokens.get('adminReviewer') ?? null;
    const answer = await site.call(method, `${path}?${query}`, { token, body, headers });
    const [, name = ''] = /The `(\w+)` parameter (?:is given more than once|must be)/.exec(answer.text) ?? [];
    return answer.status === 400 && names.includes(name) ? name : undefined;
  }

  it('is read by the operations that declare it, and by no others', async () => {
    const names = new Set(operations.flatMap(declaredBy).filter((name) => !(name in READS)));
    expect(names.size).toBeGreaterThan(10);
    const wrong: string[] = [];
    for (const operation of operations) {
      const declared = declaredBy(operation).filter((name) => names.has(name));
      for (const name of declared) {
        if ((await refused(operation, [name])) !== name) wrong.push(`${operation.id} does not read ${name}`);
      }
      const others = [...names].filter((name) => !declared.includes(name));
      const read = await refused(operation, others);
      if (read !== undefined) wrong.push(`${operation.id} reads ${read}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a parameter of reads of documents', () => {
  const BOOKS = '/1.0/site/books';
  const SPECS = {
    '1.0/site/authors': { fields: { name: { type: 'String' } }, settings: {} },
    '1.0/site/books': {
      fields: {
        title: { type: 'String' },
        author: { type: 'Reference', settings: { collection: 'authors' } },
      },
      settings: { storeRevisions: true, cache: true, sort: 'title', sortOrder: 1, compose: false },
    },
  } as const;
  let app: TestApp;
  let operations: readonly FoundOperation[];
  let author: string;
  /** Ids of documents of one title each. */
  let ids: readonly string[];
  let revision: string;

  beforeAll(async () => {
    app = await startApp({ specs: SPECS, config: { cache: { enabled: true } } });
    author = (await app.inject('POST', '/1.0/site/authors', { body: { name: 'A' } })).body.results[0]._id;
    const books = ['Dune', 'Emma'].map((title) => ({ title, author }));
    const { results } = (await app.inject('POST', BOOKS, { body: books })).body;
    ids = results.map(({ _id }: { _id: string }) => _id);
    for (const id of ids) {
      for (const title of ['Other', 'Dune']) await app.inject('PUT', `${BOOKS}/${id}`, { body: { title } });
    }
    await app.inject('PUT', `${BOOKS}/${ids[1]}`, { body: { title: 'Emma' } });
    revision = (await app.inject('GET', `${BOOKS}/${ids[0]}/history`)).body.results[0]._id;
    const document = (await app.inject('GET', '/docs/openapi.json')).body;
    operations = operationsOf(document).filter(({ path }) => path.startsWith(BOOKS));
  });
  afterAll(() => app.close());

  const body = (kind: string) =>
    ({
      createDocuments: { title: 'Cane', author },
      updateDocuments: { query: { title: 'Emma' }, update: { author } },
      updateDocument: { author },
      deleteDocuments: { query: { title: 'nowhere' } },
    })[kind];

  /** An answer without what differs from one to the next. */
  const shown = ({ status, headers, text }: InjectAnswer) => [
    status,
    headers['content-type'],
    headers['x-cache'],
    text
      // It tells what was asked for, of what has no effect too.
      .replace(/("results":.*),"metadata":.*$/s, '$1')
      .replaceAll(/[0-9a-f]{24}/g, 'id')
      .replaceAll(/\d{13}/g, 'time')
      .replaceAll(/"v":\d+/g, '"v":0')
      .replaceAll(/"id"(?:,"id")+/g, '"id"'),
  ];

  async function send({ id, path, method }: FoundOperation, query: string) {
    const kind = id.split('_')[0] ?? '';
    const place = path.replace('{id}', ids[0] ?? '').replace('{revisionId}', revision);
    const sent = body(kind);
    const options = sent === undefined ? {} : { body: sent };
    return shown(await app.inject(method, `${place}?${query}`, options));
  }

  it('has an effect on the operations that declare it, and on no others', async () => {
    expect(operations.length).toBeGreaterThan(8);
    const wrong: string[] = [];
    for (const operation of operations) {
      const { id } = operation;
      // They leave nothing to compare, or are for the specification.
      if (/^(?:deleteDocument_|\w+Specification)/.test(id)) continue;
      const declared = declaredBy(operation);
      for (const [name, { value, beside = '' }] of Object.entries(READS)) {
        await send(operation, beside);
        const without = await send(operation, beside);
        const given = await send(operation, `${beside}&${name}=${encodeURIComponent(value)}`);
        const again = await send(operation, `${beside}&${name}=${encodeURIComponent(value)}`);
        const isRead = JSON.stringify(name === 'cache' ? given : again) !== JSON.stringify(without);
        if (isRead !== declared.includes(name)) {
          wrong.push(`${id}: ${name} ${isRead ? 'is read' : 'has no effect'}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
