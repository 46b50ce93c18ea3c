// Ways to create, change and remove documents, with what each caller is told and what is stored then.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { CALLERS, type CallerName } from '../model/callers.ts';
import { type Way, write } from './cells.ts';
import { queryOf, type Site } from './site.ts';

const UNKNOWN = 'f'.repeat(24);

const ownerOf = (caller: CallerName): string => CALLERS[caller].clientId ?? 'nobody';

const countTagged = async ({ as }: Site, tag: string, collection = 'books'): Promise<number> => {
  const path = `/${collection}/count${queryOf({ filter: { tag } })}`;
  return (await as('admin')('GET', path)).body.metadata.totalCount;
};

const SOMEONES_OPEN = { open: true, owner: 'someone', rank: 1 };
const SOMEONES_CLOSED = { open: false, owner: 'someone', rank: 3 };
const ANNS = { open: false, owner: 'ann', rank: 1 };
const PLAINS = { open: false, owner: 'plain', rank: 1 };

const NOBODY_BUT_ADMINS: Way['outcomes'] = [401, 403, 403, 403, 403, 403, 200];

export const CREATING: readonly Way[] = [
  write(
    'creates a book of its own',
    [401, 200, 200, 200, 403, 403, 200],
    async (send, _site, caller) =>
      (await send('POST', '/books', { title: 'new', owner: ownerOf(caller) })).status,
  ),
  write(
    'creates a book of someone else',
    NOBODY_BUT_ADMINS,
    async (send) => (await send('POST', '/books', { title: 'new', owner: 'someone' })).status,
  ),
  write(
    'creates one of its own and one of someone else in a batch, of which none is stored unless both may be',
    [
      [401, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [200, 2],
    ],
    async (send, site, caller) => {
      const tag = `batch of ${caller} ${Date.now()} ${Math.random()}`;
      const bodies = [ownerOf(caller), 'someone'].map((owner) => ({ tag, owner }));
      const { status } = await send('POST', '/books', bodies);
      return [status, await countTagged(site, tag)];
    },
  ),
  write(
    'creates what only admins may',
    NOBODY_BUT_ADMINS,
    async (send) => (await send('POST', '/vault', { text: 'x' })).status,
  ),
  write(
    'creates a note, for which permissions decide',
    [401, 200, 200, 200, 401, 401, 200],
    async (send) => (await send('POST', '/notes', { text: 'x' })).status,
  ),
  write(
    'posts a letter that it may not read, and is answered the id alone',
    [
      [200, 1],
      [200, 1],
      [200, 1],
      [200, 1],
      [403, 0],
      [403, 0],
      [200, 6],
    ],
    async (send) => {
      const { status, body } = await send('POST', '/letterbox', { text: 'x' });
      return [status, Object.keys(body.results?.[0] ?? {}).length];
    },
  ),
];

const updating = (does: string, document: JsonObject, outcomes: Way['outcomes']): readonly Way[] =>
  (['PUT', 'POST'] as const).map((method) =>
    write(`changes ${does} with ${method}`, outcomes, async (send, site) => {
      const { _id } = await site.add('books', document);
      const { status } = await send(method, `/books/${_id}`, { title: 'changed' });
      const { title } = (await site.stored('books', _id)) as JsonObject;
      if ((title === 'changed') !== (status === 200)) throw new Error(`${status}, but ${title}`);
      return status;
    }),
  );

/** What old clients send to a collection to change documents of it. */
const OLD_UPDATES: readonly Way[] = [
  write(
    'changes letters by query with POST, which it may only write',
    NOBODY_BUT_ADMINS,
    async (send, site) => {
      const { tag, _id } = await site.add('letterbox', { text: 'as it was' });
      const { status } = await send('POST', '/letterbox', { query: { tag }, update: { text: 'changed' } });
      const { text } = (await site.stored('letterbox', _id)) as JsonObject;
      return text === (status === 200 ? 'changed' : 'as it was') ? status : 'told otherwise';
    },
  ),
  write('changes one letter with POST', NOBODY_BUT_ADMINS, async (send, site) => {
    const { _id } = await site.add('letterbox', { text: 'as it was' });
    return (await send('POST', `/letterbox/${_id}`, { update: { text: 'changed' } })).status;
  }),
  write(
    'changes people by query with POST, which only editors may',
    [401, 403, 200, 403, 403, 403, 200],
    async (send, site) => {
      const { tag } = await site.add('people', { name: 'x' });
      return (await send('POST', '/people', { query: { tag }, update: { name: 'changed' } })).status;
    },
  ),
];

export const UPDATING: readonly Way[] = [
  ...OLD_UPDATES,
  ...updating('an open book of someone', SOMEONES_OPEN, NOBODY_BUT_ADMINS),
  ...updating('a closed book of someone', SOMEONES_CLOSED, [401, 404, 200, 404, 200, 403, 200]),
  ...updating('a book of ann', ANNS, [401, 404, 403, 200, 403, 403, 200]),
  ...updating('a book of plain', PLAINS, [401, 200, 403, 404, 403, 403, 200]),
  write(
    'changes a book that does not exist',
    [401, 404, 404, 404, 404, 403, 404],
    async (send) => (await send('PUT', `/books/${UNKNOWN}`, { title: 'x' })).status,
  ),
  write(
    'changes treasure, or what might be some',
    [
      [401, 401],
      [403, 403],
      [403, 403],
      [403, 403],
      [403, 403],
      [403, 403],
      [200, 404],
    ],
    async (send, { ids }) => [
      (await send('PUT', `/vault/${ids['treasure']}`, { text: 'treasure' })).status,
      (await send('PUT', `/vault/${UNKNOWN}`, { text: 'treasure' })).status,
    ],
  ),
  write('gives a book of its own away', NOBODY_BUT_ADMINS, async (send, site, caller) => {
    const { _id } = await site.add('books', { owner: ownerOf(caller), rank: 1 });
    const { status } = await send('PUT', `/books/${_id}`, { owner: 'someone else' });
    const { v } = (await site.stored('books', _id)) as JsonObject;
    return v === (status === 200 ? 2 : 1) ? status : 'stored';
  }),
  write('takes a book out of what it may change', [401, 404, 403, 404, 403, 403, 200], async (send, site) => {
    const { _id } = await site.add('books', SOMEONES_CLOSED);
    return (await send('PUT', `/books/${_id}`, { rank: 1 })).status;
  }),
  write(
    'changes a book of ann under a condition that does not hold',
    [401, 404, 403, 412, 403, 403, 412],
    async (send, site) => {
      const { _id } = await site.add('books', ANNS);
      return (await send('PUT', `/books/${_id}`, { title: 'x' }, { 'if-match': '"99"' })).status;
    },
  ),
  write(
    'changes by query: of its own, of ann and of high rank, what it may',
    [
      [401, 0],
      [200, 1],
      [200, 2],
      [200, 2],
      [200, 2],
      [403, 0],
      [200, 3],
    ],
    async (send, site, caller) => {
      const { tag } = await site.add('books', { open: true, owner: ownerOf(caller), rank: 1 });
      await site.add('books', { tag, open: true, owner: 'ann', rank: 1 });
      await site.add('books', { tag, open: true, owner: 'someone', rank: 3 });
      const { status, body } = await send('PUT', '/books', { query: { tag }, update: { title: 'changed' } });
      const changed = (
        await site.as('admin')('GET', `/books/count${queryOf({ filter: { tag, title: 'changed' } })}`)
      ).body.metadata.totalCount;
      if (status === 200 && body.metadata.totalCount !== changed) throw new Error('told another total');
      return [status, changed];
    },
  ),
  write(
    'changes by query what would be out of reach then: nothing is changed',
    [
      [401, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [403, 0],
      [200, 2],
    ],
    async (send, site, caller) => {
      const { tag } = await site.add('books', { open: true, owner: ownerOf(caller), rank: 3 });
      await site.add('books', { tag, open: true, owner: ownerOf(caller), rank: 2 });
      const update = { owner: 'taken', rank: 1 };
      const { status } = await send('PUT', '/books', { query: { tag }, update });
      return [
        status,
        (await site.as('admin')('GET', `/books/count${queryOf({ filter: { tag, owner: 'taken' } })}`)).body
          .metadata.totalCount,
      ];
    },
  ),
  write(
    'changes by query on a field that it may not read',
    [401, 400, 200, 400, 200, 403, 200],
    async (send) =>
      (await send('PUT', '/books', { query: { secret: 'no such secret' }, update: { title: 'x' } })).status,
  ),
  write(
    'changes by query through a reference',
    [401, 200, 200, 200, 400, 403, 200],
    async (send) =>
      (await send('PUT', '/books', { query: { 'person.name': 'nobody' }, update: { title: 'x' } })).status,
  ),
  write(
    'posts a specification',
    [401, 401, 401, 401, 401, 401, 400],
    async (send) => (await send('POST', '/books/config', { fields: 'none' })).status,
  ),
];

const removing = (does: string, document: JsonObject, outcomes: Way['outcomes']): Way =>
  write(`removes ${does}`, outcomes, async (send, site) => {
    const { _id } = await site.add('books', document);
    const { status } = await send('DELETE', `/books/${_id}`);
    const isThere = (await site.stored('books', _id)) !== undefined;
    return isThere === (status !== 204) ? status : 'told otherwise';
  });

export const REMOVING: readonly Way[] = [
  removing('an open book of someone', SOMEONES_OPEN, [401, 403, 403, 403, 403, 403, 204]),
  removing('a closed book of someone', SOMEONES_CLOSED, [401, 403, 403, 404, 403, 403, 204]),
  removing('a book of ann', ANNS, [401, 403, 403, 204, 403, 403, 204]),
  removing('a book of plain', PLAINS, [401, 403, 403, 404, 403, 403, 204]),
  write(
    'removes a person, which only admins may',
    [401, 403, 403, 403, 403, 403, 204],
    async (send, site) => {
      const { _id } = await site.add('people', { name: 'x', open: true });
      return (await send('DELETE', `/people/${_id}`)).status;
    },
  ),
  write(
    'removes a book that does not exist',
    [401, 403, 403, 404, 403, 403, 404],
    async (send) => (await send('DELETE', `/books/${UNKNOWN}`)).status,
  ),
  write(
    'removes by query: of ann and of someone, what it may',
    [
      [401, 2],
      [403, 2],
      [403, 2],
      [204, 1],
      [403, 2],
      [403, 2],
      [204, 0],
    ],
    async (send, site) => {
      const { tag } = await site.add('books', { ...ANNS, open: true });
      await site.add('books', { tag, ...SOMEONES_OPEN });
      const { status } = await send('DELETE', '/books', { query: { tag } });
      return [status, await countTagged(site, tag)];
    },
  ),
  write(
    'removes by query on a field that it may not read',
    [401, 403, 403, 400, 403, 403, 204],
    async (send) => (await send('DELETE', '/books', { query: { secret: 'no such secret' } })).status,
  ),
];
