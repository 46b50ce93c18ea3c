// Ways to read documents and fields, with what each caller must get.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { InjectAnswer } from '../../helpers/app/app.ts';
import { read, type Way } from './cells.ts';
import { FIXED, queryOf } from './site.ts';

export const ALL = ['open', 'anns', 'plains', 'closed'];

export const fixed = (parameters: Parameters<typeof queryOf>[0] = {}) =>
  queryOf({ filter: { tag: FIXED }, sort: '_id', ...parameters });

/** The values of one field in the results, or the status of a refusal. */
export const valuesOf = ({ status, body }: InjectAnswer, field = 'title'): unknown =>
  status === 200 ? body.results.map((document: JsonObject) => document[field]) : status;

const byId = (title: string, outcomes: Way['outcomes']): readonly Way[] => [
  read(`asks for the book ${title}`, outcomes, async (send, { ids }) => {
    const { status, body } = await send('GET', `/books/${ids[title]}`);
    return [status, body.results?.length ?? 0];
  }),
  read(
    `asks for the headers of the book ${title}`,
    outcomes.map((outcome) => (outcome as number[])[0]) as unknown as Way['outcomes'],
    async (send, { ids }) => (await send('HEAD', `/books/${ids[title]}`)).status,
  ),
];

const [FOUND, MISSING] = [
  [200, 1],
  [404, 0],
];

/** What a client sees that owns one of the books. */
export const MEMBERS = ['open', 'plains'];

export const READING_DOCUMENTS: readonly Way[] = [
  read('asks for the history of the closed book', [401, 404, 1, 404, 403, 403, 1], async (send, { ids }) => {
    const { status, body } = await send('GET', `/books/${ids['closed']}/history`);
    return status === 200 ? body.results.length : status;
  }),
  // Editors read the same documents, and only one of them their histories.
  read('asks for the closed book with its history', [404, 404, 1, 404, 0, 0, 1], async (send, { ids }) => {
    const { status, body } = await send('GET', `/books/${ids['closed']}?includeHistory=true`);
    if (status !== 200) return status;
    return (body.results[0].history ?? []).filter((entry: unknown) => typeof entry === 'object').length;
  }),
  read('lists books', [['open'], MEMBERS, ALL, ['open', 'anns'], ALL, ALL, ALL], async (send) =>
    valuesOf(await send('GET', `/books${fixed()}`)),
  ),
  read(
    'counts books',
    [1, 2, 4, 2, 4, 4, 4],
    async (send) => (await send('GET', `/books/count${fixed()}`)).body.metadata.totalCount,
  ),
  read(
    'is told the total of a page of one book',
    [1, 2, 4, 2, 4, 4, 4],
    async (send) => (await send('GET', `/books${fixed({ count: '1' })}`)).body.metadata.totalCount,
  ),
  read(
    'lists the second page of one book each',
    [[], ['plains'], ['anns'], ['anns'], ['anns'], ['anns'], ['anns']],
    async (send) => valuesOf(await send('GET', `/books${fixed({ count: '1', page: '2' })}`)),
  ),
  ...byId('open', [FOUND, FOUND, FOUND, FOUND, FOUND, FOUND, FOUND]),
  ...byId('anns', [MISSING, MISSING, FOUND, FOUND, FOUND, FOUND, FOUND]),
  ...byId('plains', [MISSING, FOUND, FOUND, MISSING, FOUND, FOUND, FOUND]),
  ...byId('closed', [MISSING, MISSING, FOUND, MISSING, FOUND, FOUND, FOUND]),
  read(
    'filters books by the name of what only editors see',
    [[], [], ['closed'], [], ['closed'], ['closed'], ['closed']],
    async (send) =>
      valuesOf(await send('GET', `/books${queryOf({ filter: { tag: FIXED, title: 'closed' } })}`)),
  ),
  read(
    'filters books by a negation',
    [
      ['open'],
      MEMBERS,
      ['open', 'plains', 'closed'],
      ['open'],
      ['open', 'plains', 'closed'],
      ['open', 'plains', 'closed'],
      ['open', 'plains', 'closed'],
    ],
    async (send) =>
      valuesOf(
        await send('GET', `/books${queryOf({ filter: { tag: FIXED, owner: { $ne: 'ann' } }, sort: '_id' })}`),
      ),
  ),
  read(
    'calls the list of books as JSONP',
    [['open'], MEMBERS, ALL, ['open', 'anns'], ALL, ALL, ALL],
    async (send) => {
      const { text } = await send('GET', `/books${fixed({ callback: 'call' })}`);
      return valuesOf({
        status: 200,
        body: JSON.parse(/^call\((.*)\);?$/s.exec(text)?.[1] ?? '{}'),
      } as InjectAnswer);
    },
  ),
  read(
    'asks for the statistics of books',
    [401, 403, 200, 403, 200, 200, 200],
    async (send) => (await send('GET', '/books/stats')).status,
  ),
  read(
    'asks for the statistics of people',
    [401, 403, 200, 403, 403, 200, 200],
    async (send) => (await send('GET', '/people/stats')).status,
  ),
  read(
    'asks for the specification of books',
    [401, 401, 401, 401, 401, 401, 200],
    async (send) => (await send('GET', '/books/config')).status,
  ),
  read(
    'lists people',
    [401, ['Olive'], ['Olive', 'Clara'], ['Olive'], 403, ['Olive', 'Clara'], ['Olive', 'Clara']],
    async (send) => valuesOf(await send('GET', `/people${fixed()}`), 'name'),
  ),
  read(
    'asks for a person that does not exist',
    [401, 404, 404, 404, 403, 404, 404],
    async (send) => (await send('GET', `/people/${'f'.repeat(24)}`)).status,
  ),
  read(
    'asks for a person that exists',
    [401, 200, 200, 200, 403, 200, 200],
    async (send, { ids }) => (await send('GET', `/people/${ids['Olive']}`)).status,
  ),
  read(
    'lists notes, which have no rules',
    [401, 200, 200, 200, 401, 200, 200],
    async (send) => (await send('GET', `/notes${fixed()}`)).status,
  ),
  read(
    'lists what only admins may',
    [401, 403, 403, 403, 403, 403, 200],
    async (send) => (await send('GET', '/vault')).status,
  ),
  read(
    'asks for a document that only admins may read',
    [401, 403, 403, 403, 403, 403, 200],
    async (send, { ids }) => (await send('GET', `/vault/${ids['treasure']}`)).status,
  ),
  read(
    'lists letters, which anyone may write and nobody read',
    [401, 403, 403, 403, 403, 403, 200],
    async (send) => (await send('GET', '/letterbox')).status,
  ),
  read(
    'lists the revisions of books at their own path',
    ['no', 'no', 'no', 'no', 'no', 'no', 200],
    async (send) => {
      const { status } = await send('GET', '/booksHistory');
      return status === 401 || status === 403 ? 'no' : status;
    },
  ),
  read(
    'lists the collections that it may read',
    [
      [401],
      ['books', 'notes', 'people', 'photos', 'shelves'],
      ['books', 'notes', 'people', 'photos', 'shelves'],
      ['books', 'notes', 'people', 'photos', 'shelves'],
      ['books', 'shelves'],
      ['books', 'notes', 'people', 'photos', 'shelves'],
      ['books', 'booksHistory', 'letterbox', 'notes', 'people', 'photos', 'shelves', 'vault'],
    ],
    async (send) => {
      const { status, body } = await send('GET', '/api/collections');
      return status === 200 ? body.collections.map(({ name }: JsonObject) => name).toSorted() : [status];
    },
  ),
];
