// Rules are held against the states that are committed: after hooks, after a conflict, by the specification of that moment.
import { afterEach, describe, expect, test } from 'vitest';
import { decideAccess } from '../../src/auth/access/decide-access.ts';
import type { Client } from '../../src/auth/clients/client.ts';
import type { HookTask } from '../../src/collections/hooks/document-hooks.ts';
import type { RequestContext } from '../../src/collections/model/documents.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { createFakeHooks } from '../collections/fake-hooks.ts';
import {
  collectionOf,
  contextOf,
  type Library,
  openLibrary,
  parse,
  refusalOf,
} from '../collections/library-service.ts';

const mine = [{ to: 'clients', where: { owner: { $caller: 'clientId' } } }];
const EVENTS = ['beforeCreate', 'beforeUpdate', 'beforeDelete', 'afterUpdate'];
const specification = (rules: JsonObject = {}): JsonObject => ({
  fields: {
    owner: {},
    title: {},
    grade: { access: { write: ['editors'] } },
    secret: { access: { read: ['editors'] } },
    next: { type: 'Reference', settings: { collection: 'plain' } },
  },
  settings: {
    access: { read: mine, create: mine, update: mine, delete: mine, ...rules },
    hooks: Object.fromEntries(EVENTS.map((event) => [event, ['hook']])),
  },
});
/** The same without hooks. */
const plain = {
  ...specification(),
  settings: { access: { read: mine, create: mine, update: mine, delete: mine } },
};

const CLIENT: Client = {
  id: 'a',
  clientId: 'ann',
  accessType: 'user',
  permissions: null,
  roles: [],
} as never;
const ann: RequestContext = {
  ...contextOf(),
  caller: { clientId: 'ann', access: (collection) => decideAccess(CLIENT, collection) },
};
/** A write of somebody else, which does not wait for the one under way. */
const asOther = () => ({ ...contextOf(), callDepth: 1 });
const within = ({ context }: HookTask): RequestContext => ({
  ...asOther(),
  ...(context.hookWrites && { reportsTo: context.hookWrites }),
});

let library: Library;
afterEach(() => library.close());

type Hook = (obj: JsonObject, task: HookTask) => Json | undefined | Promise<Json | undefined>;

/** Opens books with this hook. It does not run in the writes that it makes itself. */
async function open(hook: Hook = () => undefined, wrap?: (store: DocumentStore) => DocumentStore) {
  const hooks = createFakeHooks({
    hook: (obj, task) => (task.context.caller === ann.caller ? hook(obj, task) : undefined),
  });
  const sources = { books: specification(), plain };
  library = await openLibrary(sources, { hooks, ...(wrap && { wrap }) });
  return hooks;
}

async function add(document: JsonObject, name = 'books'): Promise<string> {
  return String((await library.create(name, document))[0]!['_id']);
}
const set = (id: string, body: Json, context = ann, name = 'books') =>
  library.documents.updateById(library.at(name), id, body, context, {});
const remove = (id: string, name = 'books') => library.documents.removeById(library.at(name), id, ann, {});
const stored = async (id: string, name = 'books') => (await library.all(name)).find(({ _id }) => _id === id)!;
const statusOf = async (write: unknown) => (await refusalOf(write as Promise<unknown>)).status;

describe('what hooks make of a document', () => {
  test('is held against the rule of creating', async () => {
    await open(({ title }) => ({ owner: title === 'fine' ? 'ann' : 'bob' }));
    const create = (body: JsonObject) => library.create('books', body, ann);
    expect(await create({ title: 'fine', owner: 'bob' })).toMatchObject([{ owner: 'ann' }]);
    expect(await statusOf(create({ title: 'bad', owner: 'ann' }))).toBe(403);
  });

  test('is held against the rule of updating', async () => {
    await open(({ title }) => ({ owner: title === 'fine' ? 'ann' : 'bob' }));
    const id = await add({ owner: 'ann' });
    await set(id, { title: 'fine', owner: 'bob' });
    expect(await statusOf(set(id, { title: 'bad' }))).toBe(403);
    expect(await stored(id)).toMatchObject({ owner: 'ann', v: 2 });
  });

  test('may hold fields that the caller may not write, or not read', async () => {
    const hooks = await open((obj) => ({ ...obj, owner: 'ann', grade: 'A', secret: 's' }));
    const [created] = await library.create('books', {}, ann);
    expect(created).not.toHaveProperty('secret');
    expect(await stored(String(created!['_id']))).toMatchObject({ grade: 'A', secret: 's' });
    const id = await add({ owner: 'ann', grade: 'B', secret: 't' });
    const { results } = await set(id, { grade: 'B' });
    expect(parse(results[0]!)).toMatchObject({ grade: 'A', v: 2 });
    expect(results[0]).not.toContain('secret');
    expect(hooks.happened.map(({ text }) => parse(text))).toMatchObject([{ grade: 'A', secret: 's' }]);
    expect(await statusOf(set(id, { grade: 'C' }))).toBe(403);
    expect(await statusOf(library.create('books', { owner: 'ann', grade: 'A' }, ann))).toBe(403);
  });

  test('does not hide what the caller sent in a sub-document', async () => {
    await open(({ next, ...obj }) => ({ ...obj, next: [next].flat().toReversed() as Json }));
    const inner = await add({ owner: 'ann', grade: 'A' }, 'plain');
    const other = await add({ owner: 'ann' }, 'plain');
    for (const sent of [{ grade: 'B' }, { _id: inner, grade: 'B' }]) {
      const next = [
        { ...sent, owner: 'ann' },
        { _id: other, title: 'x' },
      ];
      const error = await refusalOf(library.create('books', { owner: 'ann', next }, ann));
      expect([error.status, error.items[0]?.field]).toEqual([403, 'next.0.grade']);
    }
  });
});

describe('a document that is written in between', () => {
  const HIDES = { owner: 'bob' };

  test('by the hook itself: the state that it left counts', async () => {
    await open(async (_obj, task) => {
      const { _id } = parse(task.documents![0]!);
      await set(String(_id), HIDES, within(task));
      return undefined;
    });
    const id = await add({ owner: 'ann' });
    expect(await statusOf(set(id, { title: 'x' }))).toBe(404);
    expect(await stored(id)).toMatchObject({ ...HIDES, v: 2 });
    const removed = await add({ owner: 'ann' });
    expect(await statusOf(remove(removed))).toBe(404);
    expect(await stored(removed)).toMatchObject({ ...HIDES, v: 2 });
    // By query it refuses the whole write.
    const last = await add({ owner: 'ann', title: 'q' });
    const query = { title: 'q' };
    const byQuery = library.documents.removeByQuery(library.at('books'), { query }, ann, {});
    expect([403, 404]).toContain(await statusOf(byQuery));
    expect(await stored(last)).toMatchObject({ title: 'q', v: 2 });
  });

  test('by somebody else: the rule is asked again after the conflict', async () => {
    let before: (() => Promise<unknown>) | undefined;
    await open(undefined, (store) => ({
      ...store,
      async commit(writes, options) {
        const work = before;
        before = undefined;
        await work?.();
        return store.commit(writes, options);
      },
    }));
    const id = await add({ owner: 'ann' }, 'plain');
    const hide = (one: string) => async () => set(one, HIDES, asOther(), 'plain');
    before = hide(id);
    expect(await statusOf(set(id, { title: 'x' }, ann, 'plain'))).toBe(404);
    const removed = await add({ owner: 'ann' }, 'plain');
    before = hide(removed);
    expect(await statusOf(remove(removed, 'plain'))).toBe(404);
    const inner = await add({ owner: 'ann' }, 'plain');
    before = hide(inner);
    const next = { _id: inner, title: 'x' };
    expect(await statusOf(library.create('books', { owner: 'ann', next }, ann))).toBe(400);
    expect((await library.all('plain')).map(({ v, owner, title }) => [v, owner, title])).toEqual(
      Array.from({ length: 3 }, () => [2, 'bob', undefined]),
    );
    expect(await library.all('books')).toEqual([]);
  });
});

describe('a specification that is replaced while hooks of a write run', () => {
  const closeTo = (action: string) => () =>
    library.put(collectionOf('books', specification({ [action]: [] })));

  test('decides', async () => {
    await open((_obj, { event }) => {
      const action = event.slice('before'.length).toLowerCase();
      closeTo(action)();
      return undefined;
    });
    expect(await statusOf(library.create('books', { owner: 'ann' }, ann))).toBe(403);
    const id = await add({ owner: 'ann' });
    library.put(collectionOf('books', specification()));
    expect(await statusOf(set(id, { title: 'x' }))).toBe(403);
    library.put(collectionOf('books', specification()));
    expect(await statusOf(remove(id))).toBe(403);
    expect(await stored(id)).toMatchObject({ owner: 'ann', v: 1 });
  });

  test('decides what the answer shows', async () => {
    const replaced: unknown[] = [];
    await open(() => {
      // The write is tried again with the new one.
      if (replaced.length === 0) replaced.push(closeTo('read')());
      return undefined;
    });
    const id = await add({ owner: 'ann' });
    library.put(collectionOf('books', specification()));
    replaced.length = 0;
    const { results } = await set(id, { title: 'x' });
    expect(results.map(parse)).toEqual([{ _id: id }]);
  });

  test('decides by the whole document, also where the removal has read a part of it', async () => {
    const rulesOf = (where: JsonObject) => ({ ...plain.settings.access, delete: [{ to: 'clients', where }] });
    const put = (access: JsonObject) =>
      library.put(collectionOf('plain', { ...plain, settings: { access } }));
    let afterwards: (() => void) | undefined;
    await open(undefined, (store) => ({
      ...store,
      async findText(...args) {
        const found = await store.findText(...args);
        afterwards?.();
        afterwards = undefined;
        return found;
      },
    }));
    const id = await add({ owner: 'ann', title: 'locked' }, 'plain');
    put({ ...plain.settings.access, delete: [{ to: 'clients' }] });
    afterwards = () => put(rulesOf({ title: { $ne: 'locked' } }));
    expect(await statusOf(remove(id, 'plain'))).toBe(403);
    expect(await stored(id, 'plain')).toMatchObject({ title: 'locked', v: 1 });
    put({ ...plain.settings.access, delete: [{ to: 'clients' }] });
    afterwards = () => put(rulesOf({ title: 'locked' }));
    await remove(id, 'plain');
    expect(await library.all('plain')).toEqual([]);
  });
});
