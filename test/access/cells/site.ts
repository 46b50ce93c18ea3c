// The site of the matrix: collections with rules, with permissions only, and open ones; documents of several owners in them.
import { randomBytes } from 'node:crypto';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { InjectAnswer, TestApp } from '../../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../../helpers/app/media-server.ts';
import { CALLERS, type CallerName, createCallers, type Tokens } from '../model/callers.ts';

const mine = { owner: { $caller: 'clientId' } };

const text = { type: 'String' };

export const SPECIFICATIONS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/books': {
    fields: {
      title: text,
      tag: text,
      open: { type: 'Boolean' },
      owner: text,
      rank: { type: 'Number' },
      secret: { type: 'String', access: { read: ['editors'], write: ['client:ann'] } },
      code: { type: 'String', access: { write: ['editors'] } },
      person: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: {
      storeRevisions: true,
      access: {
        read: [{ to: 'anyone', where: { open: true } }, { to: 'editors' }, { to: ['clients'], where: mine }],
        create: [{ to: 'clients', where: mine }],
        update: [
          { to: 'editors', where: { rank: { $gt: 1 } } },
          { to: 'clients', where: mine },
        ],
        delete: [{ to: 'client:ann', where: mine }],
      },
    },
  },
  '1.0/library/people': {
    fields: { name: text, tag: text, open: { type: 'Boolean' } },
    settings: {
      access: {
        read: [{ to: 'clients', where: { open: true } }, { to: 'editors' }],
        create: [{ to: 'editors' }],
        update: [{ to: 'editors' }],
        delete: [],
      },
    },
  },
  // Opened by the settings of old: what is behind its references has rules of its own.
  '1.0/library/shelves': {
    fields: {
      name: text,
      tag: text,
      book: { type: 'Reference', settings: { collection: 'books' } },
      notes: { type: 'Reference', settings: { collection: 'notes' } },
    },
    settings: { authenticate: false },
  },
  '1.0/library/notes': {
    fields: { text, tag: text, pin: { type: 'String', access: { read: ['editors'], write: ['editors'] } } },
    settings: {},
  },
  '1.0/library/vault': { fields: { text, tag: text }, settings: { access: {} } },
  '1.0/library/letterbox': {
    fields: { text, tag: text },
    settings: { access: { create: [{ to: 'anyone' }] } },
  },
  '1.0/library/booksHistory': { fields: { title: text, secret: text }, settings: {} },
  '1.0/library/photos': {
    fields: { caption: text, open: { type: 'Boolean' }, owner: text },
    settings: {
      type: 'media',
      access: {
        read: [{ to: 'anyone', where: { open: true } }, { to: 'editors' }],
        create: [{ to: 'editors' }, { to: 'clients', where: mine }],
        delete: [{ to: 'editors' }],
      },
    },
  },
};

const ROOT = '/1.0/library';

/** Marks the documents that no cell changes. */
export const FIXED = 'fixed';

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<InjectAnswer>;

export interface Site {
  readonly app: TestApp;
  /** Ids of the fixed documents, by title, name or text. */
  readonly ids: Readonly<Record<string, string>>;
  /** Sends as this caller, below the library unless the path begins with `/api`. */
  as(caller: CallerName): Send;
  /** Creates a document of one cell's own, as admin, with a mark of its own. */
  add(
    collection: string,
    document: JsonObject,
  ): Promise<JsonObject & { readonly _id: string; readonly tag: string }>;
  /** A document as an admin sees it. */
  stored(collection: string, id: string): Promise<JsonObject | undefined>;
  upload(caller: CallerName, fields: Readonly<Record<string, string>>, path?: string): Promise<InjectAnswer>;
  readonly tokens: Tokens;
}

export const queryOf = (parameters: Readonly<Record<string, Json>>): string =>
  `?${new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )}`;

export async function openSite(app: TestApp): Promise<Site> {
  const tokens = await createCallers(app);
  const as =
    (caller: CallerName): Send =>
    (method, path, body, headers = {}) =>
      app.inject(method, path.startsWith('/api') ? path : ROOT + path, {
        token: tokens[caller] as string | null,
        headers,
        ...(body === undefined ? {} : { body }),
      });
  const admin = as('admin');
  const add: Site['add'] = async (collection, document) => {
    const tag = randomBytes(6).toString('hex');
    const { status, body, text: answer } = await admin('POST', `/${collection}`, { tag, ...document });
    if (status !== 200) throw new Error(answer);
    return body.results[0];
  };
  const upload: Site['upload'] = async (caller, fields, path = `${ROOT}/photos`) => {
    const parts = [
      ...Object.entries(fields).map(([name, body]) => ({ name, body })),
      { fileName: 'a.txt', type: 'text/plain', body: 'bytes of a file' },
    ];
    const token = tokens[caller];
    const answer = await app.app.server.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': FORM_TYPE, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      payload: formOf(parts),
    });
    const parsed = answer.body === '' ? undefined : JSON.parse(answer.body);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: parsed,
    } as InjectAnswer;
  };

  const ids: Record<string, string> = {};
  const fixed = async (collection: string, documents: readonly JsonObject[]) => {
    for (const document of documents) {
      const { _id, ...rest } = await add(collection, { tag: FIXED, ...document });
      ids[String(rest['title'] ?? rest['name'] ?? rest['text'])] = _id;
    }
  };
  await fixed('people', [
    { name: 'Olive', open: true },
    { name: 'Clara', open: false },
  ]);
  const person = (name: string) => ids[name] as string;
  await fixed('books', [
    { title: 'open', open: true, owner: 'plain', rank: 1, secret: 'd', person: person('Olive') },
    { title: 'anns', open: false, owner: 'ann', rank: 1, secret: 'c', person: person('Clara') },
    { title: 'plains', open: false, owner: 'plain', rank: 3, secret: 'b', person: person('Clara') },
    { title: 'closed', open: false, owner: 'nobody', rank: 3, secret: 'a', person: person('Olive') },
  ]);
  await fixed('notes', [{ text: 'a note', pin: '1234' }]);
  await fixed('shelves', [
    ...['open', 'anns', 'plains', 'closed'].map((title) => ({
      name: `shelf of ${title}`,
      book: ids[title] as string,
    })),
    { name: 'shelf of notes', notes: ids['a note'] as string },
  ]);
  await fixed('vault', [{ text: 'treasure' }]);
  await fixed('letterbox', [{ text: 'a letter' }]);
  for (const open of [true, false]) {
    const name = open ? 'open photo' : 'closed photo';
    const { status, body, text: answer } = await upload('admin', { caption: name, open: String(open) });
    if (status !== 201) throw new Error(answer);
    ids[name] = body.results[0]._id;
    ids[`path of ${name}`] = body.results[0].path;
  }
  return {
    app,
    ids,
    as,
    add,
    upload,
    tokens,
    async stored(collection, id) {
      const { body } = await admin('GET', `/${collection}/${id}?cache=false`);
      return body.results[0];
    },
  };
}

export const EVERYONE = Object.keys(CALLERS) as readonly CallerName[];
