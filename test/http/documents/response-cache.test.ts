import { beforeEach, describe, expect, it } from 'vitest';
import { createCallers } from '../../../src/auth/access/callers.ts';
import type { CollectionRegistry } from '../../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import type { Query } from '../../../src/http/core/request-url.ts';
import { createResponseCache, type ResponseCache } from '../../../src/http/documents/response-cache.ts';
import { createMemoryCache } from '../../../src/stores/memory-cache.ts';
import type { Namespace } from '../../../src/stores/ports.ts';
import { soleCoordination } from '../../helpers/store/coordination.ts';
import { ADMIN_CLIENT, collection, reference, USER_CLIENT } from '../fixtures.ts';

type Listener = (changed: readonly Namespace[]) => void;

const NOTHING: Query = new Map();
const space = (name: string): Namespace => ({ database: null, collection: name });

let registry: CollectionRegistry;
let listeners: Listener[];
let responses: ResponseCache;
let time: number;
/** Number of other processes, and what hears of their changes. */
let others: number;
let changes: ((path: string | undefined) => Promise<void>)[];

const open = (bootId: string) =>
  createResponseCache({
    cache: createMemoryCache({ maxBytes: 1_000_000, now: () => time }),
    store: {
      onCommit(listener) {
        listeners.push(listener);
        return () => undefined;
      },
    },
    registry,
    bootId,
    ttlSeconds: 60,
    processes: {
      ...soleCoordination(),
      isAlone: () => others === 0,
      membership: () => others,
      onChange: (_kind, listener) => void changes.push(listener),
    },
    marks: undefined,
    now: () => time,
  });
const commit = (...names: string[]) => {
  for (const listener of listeners) listener(names.map(space));
};

beforeEach(() => {
  registry = createCollectionRegistry();
  listeners = [];
  time = 0;
  others = 0;
  changes = [];
  registry.put(collection('books', { fields: [reference('author', 'people'), reference('related')] }));
  registry.put(collection('people', { fields: [reference('home', 'towns')] }));
  registry.put(collection('towns', { fields: [reference('mayor', 'people'), reference('lost', 'nowhere')] }));
  registry.put(collection('others'));
  responses = open('boot');
});

function keyOf(
  name: string,
  query: Query = NOTHING,
  client = ADMIN_CLIENT as typeof ADMIN_CLIENT | null,
  named: readonly string[] = [],
) {
  const found = registry.get('1.0', 'library', name);
  if (found === undefined) throw new Error(`no ${name}`);
  return responses.cacheKey(found, { path: found.path, query, named }, createCallers(registry)(client))?.text;
}

describe('the key of a response', () => {
  it('stays while nothing changes', () => {
    expect(keyOf('books')).toBe(keyOf('books'));
  });

  it('is undefined for a collection with read hooks', () => {
    const use = [{ name: 'a', options: undefined }];
    for (const hooks of [{ beforeGet: use }, { afterGet: use }]) {
      registry.put(collection('books', { settings: { hooks } }));
      expect(keyOf('books')).toBeUndefined();
    }
    registry.put(collection('books', { settings: { hooks: { beforeCreate: use } } }));
    expect(keyOf('books')).toBeDefined();
  });

  it('is undefined for a collection that is not cached', () => {
    registry.put(collection('books', { settings: { cache: false } }));
    expect(keyOf('books')).toBeUndefined();
  });

  it.each(['books', 'people', 'towns'])('moves on when %s is written, directly or by reference', (name) => {
    const before = keyOf('books');
    commit('others', name);
    expect(keyOf('books')).not.toBe(before);
  });

  it('stays when another collection is written', () => {
    const before = keyOf('books');
    commit('others', 'booksHistory');
    expect(keyOf('books')).toBe(before);
    const towns = keyOf('towns');
    commit('books');
    expect(keyOf('towns')).toBe(towns);
  });

  it('changes with any specification', () => {
    const before = keyOf('books');
    registry.put(collection('others', { fields: [reference('x')] }));
    expect(keyOf('books')).not.toBe(before);
  });

  it('differs by start of the server', () => {
    const before = keyOf('books');
    responses = open('another boot');
    expect(keyOf('books')).not.toBe(before);
  });

  it('differs by what the caller may see', () => {
    const limited = { ...USER_CLIENT, permissions: { collections: [{ path: 'books' }] } };
    const keys = [keyOf('books', NOTHING, null), keyOf('books', NOTHING, limited), keyOf('books')];
    expect(new Set(keys).size).toBe(3);
    expect(keyOf('books', NOTHING, USER_CLIENT)).toBe(keyOf('books'));
  });

  it('differs by path and by parameters, not by their order, nor by `cache` and `callback`', () => {
    const query = (...pairs: [string, string][]) => new Map(pairs) as unknown as Query;
    const [books] = registry.list();
    if (books === undefined) throw new Error('no books');
    expect(
      responses.cacheKey(books, { path: '/a', query: NOTHING, named: [] }, createCallers(registry)(null))
        ?.text,
    ).not.toBe(
      responses.cacheKey(books, { path: '/b', query: NOTHING, named: [] }, createCallers(registry)(null))
        ?.text,
    );
    expect(keyOf('books', query(['page', '1'], ['count', '2']))).toBe(
      keyOf('books', query(['count', '2'], ['cache', 'false'], ['page', '1'], ['callback', 'f'])),
    );
    expect(keyOf('books', NOTHING, ADMIN_CLIENT, ['zzz'])).not.toBe(keyOf('books'));
    expect(keyOf('books', query(['page', '1']))).not.toBe(keyOf('books', query(['page', '2'])));
    expect(keyOf('books', query(['sort', 'a","b']))).not.toBe(
      keyOf('books', query(['sort', 'a'], ['filter', 'b'])),
    );
  });
});

describe('a response', () => {
  it('is returned as it was stored', async () => {
    await responses.write('k', { body: '{"a":"\n"}', v: 3 }, 0);
    await responses.write('l', { body: '' }, 0);
    expect(await responses.read('k')).toEqual({ body: '{"a":"\n"}', v: 3 });
    expect(await responses.read('l')).toEqual({ body: '', v: undefined });
    expect(await responses.read('m')).toBeUndefined();
  });

  it('expires', async () => {
    await responses.write('k', { body: 'x' }, 0);
    time = 60_000;
    expect(await responses.read('k')).toBeUndefined();
  });
});

describe('beside other processes', () => {
  it('a response is used for a second after its computation began, and again for long when they are gone', async () => {
    others = 1;
    await responses.write('k', { body: 'x' }, 0);
    time = 1000;
    expect(await responses.read('k')).toMatchObject({ body: 'x' });
    time = 1001;
    expect(await responses.read('k')).toBeUndefined();
    others = 0;
    expect(await responses.read('k')).toMatchObject({ body: 'x' });
  });

  it('what was kept before one came is not found any more', () => {
    const before = keyOf('books');
    others = 1;
    expect(keyOf('books')).not.toBe(before);
  });

  it('their flushes are made here too, and all are where it is not known what they changed', async () => {
    const [books, people] = [keyOf('books'), keyOf('people')];
    for (const listener of changes) await listener('/1.0/library/books');
    expect(keyOf('books')).not.toBe(books);
    expect(keyOf('people')).toBe(people);
    for (const listener of changes) await listener(undefined);
    expect(keyOf('people')).not.toBe(people);
  });
});

describe('flush', () => {
  it('drops the responses of one collection by its path', async () => {
    const books = keyOf('books');
    const people = keyOf('people');
    await responses.flush('/1.0/library/books');
    expect(keyOf('books')).not.toBe(books);
    expect(keyOf('people')).toBe(people);
  });

  it('ignores paths of no collection', async () => {
    const books = keyOf('books');
    await responses.flush('/no/such/path');
    expect(keyOf('books')).toBe(books);
  });

  it('drops a response that was computed meanwhile', async () => {
    const before = keyOf('books') ?? '';
    await responses.flush('*');
    await responses.write(before, { body: 'old' }, 0);
    expect(keyOf('books')).not.toBe(before);
    expect(await responses.read(keyOf('books') ?? '')).toBeUndefined();
  });

  it('drops everything with a star', async () => {
    await responses.write('k', { body: 'x' }, 0);
    await responses.flush('*');
    expect(await responses.read('k')).toBeUndefined();
  });
});
