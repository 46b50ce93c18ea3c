// Sub-documents, histories, restores, and fields that only some may set, with what each caller is told.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { InjectAnswer } from '../../helpers/app/app.ts';
import { CALLERS, type CallerName } from '../model/callers.ts';
import { type Way, write } from './cells.ts';
import type { Site } from './site.ts';

const ownerOf = (caller: CallerName): string => CALLERS[caller].clientId ?? 'nobody';

const ANNS = { open: false, owner: 'ann', rank: 1 };
const NOBODY_BUT_ADMINS: Way['outcomes'] = [401, 403, 403, 403, 403, 403, 200];

/** The status and the first field of a refusal. */
const fieldOf = ({ status, body }: InjectAnswer): unknown => [
  status,
  status === 200 ? null : (body.errors[0].field ?? null),
];

export const SUB_DOCUMENTS: readonly Way[] = [
  write(
    'creates a book of its own inside of a shelf',
    [401, 200, 200, 200, 403, 403, 200],
    async (send, _site, caller) =>
      (await send('POST', '/shelves', { name: 'x', book: { title: 'inside', owner: ownerOf(caller) } }))
        .status,
  ),
  write(
    'creates a book of someone else inside of a shelf',
    NOBODY_BUT_ADMINS,
    async (send) =>
      (await send('POST', '/shelves', { name: 'x', book: { title: 'inside', owner: 'someone' } })).status,
  ),
  write(
    'creates a person inside of a book of its own',
    [401, 403, 200, 403, 403, 403, 200],
    async (send, _site, caller) =>
      (await send('POST', '/books', { owner: ownerOf(caller), person: { name: 'inside' } })).status,
  ),
  write(
    'changes a book of ann inside of a shelf: one that it may not read is an unknown id',
    ['no', 400, 403, 200, 403, 403, 200],
    async (send, site, caller) => {
      const { _id } = await site.add('books', ANNS);
      const shelf = await site.add('shelves', { book: _id });
      const { status } = await send('PUT', `/shelves/${shelf._id}`, { book: { _id, title: 'changed' } });
      const { title } = (await site.stored('books', _id)) as JsonObject;
      if ((title === 'changed') !== (status === 200)) return 'told otherwise';
      // Without a right to change books it may be told that, or that the id is unknown.
      return caller === 'anonymous' && [400, 401].includes(status) ? 'no' : status;
    },
  ),
  write(
    'sends a book of ann back unchanged inside of a shelf',
    ['no', 400, 200, 200, 200, 200, 200],
    async (send, site, caller) => {
      const { _id } = await site.add('books', { ...ANNS, title: 'as it was' });
      const { status } = await send('POST', '/shelves', { name: 'x', book: { _id, title: 'as it was' } });
      if ((await site.stored('books', _id))?.['v'] !== 1) return 'written';
      return caller === 'anonymous' && [400, 401].includes(status) ? 'no' : status;
    },
  ),
  write('refers to a book that it may not read', [200, 200, 200, 200, 200, 200, 200], async (send, site) => {
    const { _id } = await site.add('books', ANNS);
    return (await send('POST', '/shelves', { name: 'x', book: _id })).status;
  }),
];

async function changedBook(site: Site, first: JsonObject, second: JsonObject) {
  const { _id } = await site.add('books', { title: 'first', ...first });
  await site.as('admin')('PUT', `/books/${_id}`, { title: 'second', ...second });
  const { body } = await site.as('admin')('GET', `/books/${_id}/history?cache=false`);
  return { _id, revisions: body.results.map((revision: JsonObject) => revision['_id']) as readonly string[] };
}

const history = (
  does: string,
  first: JsonObject,
  second: JsonObject,
  outcomes: Way['outcomes'],
  removed = false,
) =>
  write(`asks for the history of ${does}`, outcomes, async (send, site) => {
    const { _id } = await changedBook(site, first, second);
    if (removed) await site.as('admin')('DELETE', `/books/${_id}`);
    const { status, body } = await send('GET', `/books/${_id}/history`);
    if (status !== 200) return status;
    if (body.metadata.totalCount !== body.results.length) throw new Error('told another total');
    return `${body.results.length} revisions`;
  });

const ALL = '2 revisions';

const PLAINS = { open: false, owner: 'plain', rank: 1 };
const HIGH = { open: false, owner: 'someone', rank: 3 };
const BECAME_PLAINS = [HIGH, { owner: 'plain' }] as const;

export const HISTORIES: readonly Way[] = [
  history('a book of ann', ANNS, {}, [401, 404, 403, ALL, 403, 403, ALL]),
  history('a closed book of high rank', HIGH, {}, [401, 404, ALL, 404, 403, 403, ALL]),
  history('an open book of high rank', { ...HIGH, open: true }, {}, [401, 403, ALL, 403, 403, 403, ALL]),
  history('a book that became that of plain: what was before is left out', ...BECAME_PLAINS, [
    401,
    '1 revisions',
    ALL,
    404,
    403,
    403,
    ALL,
  ]),
  history(
    'a removed book of plain',
    PLAINS,
    {},
    [401, '3 revisions', 403, 404, 403, 403, '3 revisions'],
    true,
  ),
  write(
    'includes the history in a book that became that of plain',
    [404, 1, 2, 404, 0, 0, 2],
    async (send, site) => {
      const { _id } = await changedBook(site, ...BECAME_PLAINS);
      const { status, body } = await send('GET', `/books/${_id}?includeHistory=true`);
      if (status !== 200) return status;
      return (body.results[0].history ?? []).filter((entry: unknown) => typeof entry === 'object').length;
    },
  ),
  write(
    'restores the first state of a book of plain',
    [401, 200, 403, 404, 403, 403, 200],
    async (send, site) => {
      const { _id, revisions } = await changedBook(site, PLAINS, {});
      const { status } = await send('POST', `/books/${_id}/revisions/${revisions[0]}/restore`);
      const { title } = (await site.stored('books', _id)) as JsonObject;
      return (title === 'first') === (status === 200) ? status : 'told otherwise';
    },
  ),
  write(
    'restores a state in which a book was not that of plain',
    [401, 404, 200, 404, 403, 403, 200],
    async (send, site) => {
      const { _id, revisions } = await changedBook(site, ...BECAME_PLAINS);
      return (await send('POST', `/books/${_id}/revisions/${revisions[0]}/restore`)).status;
    },
  ),
  write(
    'restores a revision that does not exist of a book of plain',
    [401, 404, 403, 404, 403, 403, 404],
    async (send, site) => {
      const { _id } = await changedBook(site, PLAINS, {});
      return (await send('POST', `/books/${_id}/revisions/${'f'.repeat(24)}/restore`)).status;
    },
  ),
  write('restores a removed book of plain', [401, 200, 403, 404, 403, 403, 200], async (send, site) => {
    const { _id, revisions } = await changedBook(site, PLAINS, {});
    await site.as('admin')('DELETE', `/books/${_id}`);
    return (await send('POST', `/books/${_id}/revisions/${revisions[1]}/restore`)).status;
  }),
];

const onOwnBook = (does: string, outcomes: Way['outcomes'], body: JsonObject, stored: JsonObject = {}) =>
  write(`${does} a book of its own`, outcomes, async (send, site, caller) => {
    const { _id } = await site.add('books', { owner: ownerOf(caller), rank: 1, ...stored });
    return fieldOf(await send('PUT', `/books/${_id}`, body));
  });

const SECRET = [403, 'secret'];
const CODE = [403, 'code'];
const [DONE, NO_TOKEN, NO_RULE] = [
  [200, null],
  [401, null],
  [403, null],
];

export const FIELDS: readonly Way[] = [
  onOwnBook('sets the secret of', [NO_TOKEN, SECRET, SECRET, DONE, SECRET, NO_RULE, DONE], { secret: 's' }),
  // Who sees it sends it back; who does not must not learn whether it guessed right.
  onOwnBook(
    'sets to what it is the secret of',
    [NO_TOKEN, SECRET, DONE, DONE, DONE, NO_RULE, DONE],
    { secret: 's' },
    { secret: 's' },
  ),
  onOwnBook(
    'takes the secret from',
    [NO_TOKEN, SECRET, SECRET, DONE, SECRET, NO_RULE, DONE],
    { $unset: ['secret'] },
    { secret: 's' },
  ),
  onOwnBook(
    'changes the code of',
    [NO_TOKEN, CODE, DONE, CODE, DONE, NO_RULE, DONE],
    { code: '2' },
    { code: '1' },
  ),
  write(
    'sends a book of its own back as it was fetched, with a code that it may not change',
    [401, 200, 200, 200, 200, 403, 200],
    async (send, site, caller) => {
      const { _id } = await site.add('books', { owner: ownerOf(caller), rank: 1, code: '1', secret: 's' });
      const { body } = await send('GET', `/books/${_id}`);
      const { status } = await send('PUT', `/books/${_id}`, body.results[0] ?? {});
      const { code, secret } = (await site.stored('books', _id)) as JsonObject;
      return code === '1' && secret === 's' ? status : 'changed';
    },
  ),
  write(
    'creates a book of its own with a secret',
    [NO_TOKEN, SECRET, SECRET, DONE, NO_RULE, NO_RULE, DONE],
    async (send, _site, caller) =>
      fieldOf(await send('POST', '/books', { owner: ownerOf(caller), secret: 's' })),
  ),
  write(
    'changes by query the secret of books of its own',
    [NO_TOKEN, SECRET, SECRET, DONE, SECRET, NO_RULE, DONE],
    async (send, site, caller) => {
      const { tag } = await site.add('books', { owner: ownerOf(caller), rank: 1 });
      return fieldOf(await send('PUT', '/books', { query: { tag }, update: { secret: 's' } }));
    },
  ),
  write(
    'creates a note with a pin, in a collection without rules',
    [
      [401, null],
      [403, 'pin'],
      [200, null],
      [403, 'pin'],
      [401, null],
      [401, null],
      [200, null],
    ],
    async (send) => fieldOf(await send('POST', '/notes', { text: 'x', pin: '1' })),
  ),
  write(
    'sees the secret in the answer to a change of a book of its own',
    [null, null, 's', null, 's', null, 's'],
    async (send, site, caller) => {
      const { _id } = await site.add('books', { owner: ownerOf(caller), rank: 1, secret: 's' });
      const { body } = await send('PUT', `/books/${_id}`, { title: 'x' });
      return body.results?.[0]?.secret ?? null;
    },
  ),
];
