// What the tests about unreadable documents share: collections, answers reduced to what a caller can tell apart, and requests.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { InjectAnswer, TestApp } from '../../helpers/app/app.ts';
import { createCallers, type Tokens } from '../model/callers.ts';

const text = { type: 'String' };

/** Every client reads and changes its own; editors read open ones; a secret is for nobody but admins, `pin` is write-only. */
export const ORACLE_SPECIFICATIONS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/books': {
    fields: {
      title: text,
      owner: text,
      open: { type: 'Boolean' },
      rank: { type: 'Number' },
      secret: { type: 'String', access: { read: [], write: [] } },
      pin: { type: 'String', access: { read: [] } },
      person: { type: 'Reference', settings: { collection: 'people' }, access: { read: ['staff'] } },
    },
    settings: {
      storeRevisions: true,
      sort: 'secret',
      index: [{ keys: { pin: 1 }, options: { unique: true, sparse: true } }],
      access: Object.fromEntries(
        ['read', 'create', 'update', 'delete'].map((action) => [
          action,
          [
            { to: 'clients', where: { owner: { $caller: 'clientId' } } },
            ...(action === 'read' ? [{ to: 'anyone', where: { open: true } }] : []),
          ],
        ]),
      ),
    },
  },
  '1.0/library/people': { fields: { name: text }, settings: { authenticate: false } },
  '1.0/library/shelves': {
    fields: { name: text, book: { type: 'Reference', settings: { collection: 'books' } } },
    settings: { authenticate: false },
  },
};

const ROOT = '/1.0/library';

export const UNKNOWN_ID = 'f'.repeat(24);

/** Headers that differ between two equal answers. That something was written, a cache may tell: whether it had the answer. */
const UNSTABLE = new Set(['date', 'x-request-id', 'x-cache', 'x-cache-lookup', 'age']);

/** An answer as a caller sees it. Ids in `ids` are taken as one and the same. */
export function seen(
  { status, headers, text: body }: InjectAnswer,
  ids: readonly string[] = [],
  withCache = false,
): readonly unknown[] {
  const told = Object.entries(headers)
    .filter(([name]) => !UNSTABLE.has(name) || (withCache && name.startsWith('x-cache')))
    .toSorted();
  return JSON.parse(
    ids.reduce((answer, id) => answer.replaceAll(id, '<id>'), JSON.stringify([status, told, body])),
  );
}

export interface OracleSite {
  readonly app: TestApp;
  readonly tokens: Tokens;
  send(
    caller: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<InjectAnswer>;
  /** Creates as admin. */
  add(collection: string, document: JsonObject): Promise<string>;
}

export async function openOracleSite(app: TestApp): Promise<OracleSite> {
  const tokens = await createCallers(app);
  const send: OracleSite['send'] = (caller, method, path, body, headers = {}) =>
    app.inject(method, path.startsWith('/api') ? path : ROOT + path, {
      token: tokens[caller] as string | null,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  return {
    app,
    tokens,
    send,
    async add(collection, document) {
      const { status, body, text: answer } = await send('admin', 'POST', `/${collection}`, document);
      if (status !== 200) throw new Error(answer);
      return body.results[0]._id;
    },
  };
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** Reads whose answers may depend on nothing that the caller cannot read. */
export const READS: readonly string[] = [
  ...[
    '/books',
    '/books?count=1',
    '/books?count=1&page=2',
    '/books?sort=title',
    '/books?sort=rank&sortOrder=desc',
  ],
  ...['/books?sort=secret', '/books?sort=pin', '/books?compose=true', '/books?includeHistory=true'],
  ...['/books/count', `/books/count?filter=${json({ rank: { $gt: 0 } })}`, '/books?callback=call'],
  ...[
    { title: 'a' },
    { title: { $ne: 'a' } },
    { rank: { $gt: 1 } },
    { title: { $regex: '.' } },
    { v: 1 },
  ].map((filter) => `/books?filter=${json(filter)}`),
  `/books?fields=${json({ title: 1 })}`,
  ...['/shelves', '/shelves?compose=true', '/shelves?compose=all', '/shelves/count'],
  ...[
    { 'book.title': 'hidden' },
    { 'book.title': { $ne: 'hidden' } },
    { 'book.rank': { $gt: 0 } },
    { 'book.rank': { $not: { $gt: 5 } } },
    { 'book.title': null },
    { book: { $elemMatch: { rank: { $gt: 0 } } } },
  ].map((filter) => `/shelves?filter=${json(filter)}`),
  ...['/books/stats', '/books/config', '/api/collections'],
];
