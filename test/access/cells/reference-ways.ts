// Ways to what is behind references, and to fields that only some may read, with what each caller must get.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { read, type Way } from './cells.ts';
import { ALL, fixed, MEMBERS, valuesOf } from './reading-ways.ts';
import { FIXED, queryOf } from './site.ts';

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? ((value as JsonObject)[name] ?? null) : 'id';

export const READING_REFERENCES: readonly Way[] = [
  read(
    'composes shelves with their books',
    [
      ['open', 'id', 'id', 'id', 'id'],
      ['open', 'id', 'plains', 'id', 'id'],
      [...ALL, 'id'],
      ['open', 'anns', 'id', 'id', 'id'],
      [...ALL, 'id'],
      [...ALL, 'id'],
      [...ALL, 'id'],
    ],
    async (send) => {
      const { body } = await send('GET', `/shelves${fixed({ compose: 'true' })}`);
      return body.results.map(({ book }: JsonObject) => member(book, 'title'));
    },
  ),
  read(
    'composes the people of the books of shelves',
    [
      ['id', 'id', 'id', 'id', 'id'],
      ['Olive', 'id', 'id', 'id', 'id'],
      ['Olive', 'Clara', 'Clara', 'Olive', 'id'],
      ['Olive', 'id', 'id', 'id', 'id'],
      ['id', 'id', 'id', 'id', 'id'],
      ['Olive', 'Clara', 'Clara', 'Olive', 'id'],
      ['Olive', 'Clara', 'Clara', 'Olive', 'id'],
    ],
    async (send) => {
      const { body } = await send('GET', `/shelves${fixed({ compose: 'all' })}`);
      return body.results.map(({ book }: JsonObject) => {
        const person = member(book, 'person');
        return typeof person === 'string' ? 'id' : member(person, 'name');
      });
    },
  ),
  read(
    'filters shelves by the title of their book',
    [[], [], ['shelf of closed'], [], ['shelf of closed'], ['shelf of closed'], ['shelf of closed']],
    async (send) =>
      valuesOf(
        await send('GET', `/shelves${queryOf({ filter: { tag: FIXED, 'book.title': 'closed' } })}`),
        'name',
      ),
  ),
  read(
    'counts shelves whose book has another owner than ann: a book that cannot be read is none',
    [5, 5, 4, 4, 4, 4, 4],
    async (send) =>
      (
        await send(
          'GET',
          `/shelves/count${queryOf({ filter: { tag: FIXED, 'book.owner': { $ne: 'ann' } } })}`,
        )
      ).body.metadata.totalCount,
  ),
  read(
    'filters books by the name of their person',
    [400, [], ['anns', 'plains'], [], 400, ['anns', 'plains'], ['anns', 'plains']],
    async (send) =>
      valuesOf(
        await send(
          'GET',
          `/books${queryOf({ filter: { tag: FIXED, 'person.name': 'Clara' }, sort: '_id' })}`,
        ),
      ),
  ),
  read(
    'filters shelves by the name of the person of their book',
    [
      400,
      ['shelf of open'],
      ['shelf of open', 'shelf of closed'],
      ['shelf of open'],
      400,
      ['shelf of open', 'shelf of closed'],
      ['shelf of open', 'shelf of closed'],
    ],
    async (send) =>
      valuesOf(
        await send(
          'GET',
          `/shelves${queryOf({ filter: { tag: FIXED, 'book.person.name': 'Olive' }, sort: '_id' })}`,
        ),
        'name',
      ),
  ),
  read(
    'composes notes, for which it needs a permission',
    ['id', 'a note', 'a note', 'a note', 'id', 'a note', 'a note'],
    async (send, { ids }) => {
      const { body } = await send('GET', `/shelves/${ids['shelf of notes']}?compose=true`);
      return member(body.results[0].notes, 'text');
    },
  ),
];

const SECRETS = ['d', 'c', 'b', 'a'];

export const READING_FIELDS: readonly Way[] = [
  read(
    'sees the secrets of books',
    [[null], [null, null], SECRETS, [null, null], SECRETS, SECRETS, SECRETS],
    async (send) => {
      const { body } = await send('GET', `/books${fixed()}`);
      return body.results.map(({ secret = null }: JsonObject) => secret);
    },
  ),
  read(
    'asks for the secret of the open book by name',
    [null, null, 'd', null, 'd', 'd', 'd'],
    async (send, { ids }) => {
      const { body } = await send('GET', `/books/${ids['open']}${queryOf({ fields: { secret: 1 } })}`);
      return body.results[0].secret ?? null;
    },
  ),
  read(
    'filters books by their secret',
    [400, 400, ['open'], 400, ['open'], ['open'], ['open']],
    async (send) => valuesOf(await send('GET', `/books${queryOf({ filter: { tag: FIXED, secret: 'd' } })}`)),
  ),
  read(
    'filters books by their secret below an operator',
    [400, 400, ['closed'], 400, ['closed'], ['closed'], ['closed']],
    async (send) =>
      valuesOf(
        await send('GET', `/books${queryOf({ filter: { tag: FIXED, $or: [{ secret: { $in: ['a'] } }] } })}`),
      ),
  ),
  read(
    'sorts books by their secret',
    [
      ['open'],
      MEMBERS,
      ALL.toReversed(),
      ['open', 'anns'],
      ALL.toReversed(),
      ALL.toReversed(),
      ALL.toReversed(),
    ],
    async (send) => valuesOf(await send('GET', `/books${fixed({ sort: 'secret' })}`)),
  ),
  read(
    'filters shelves by the secret of their book',
    [400, 400, ['shelf of open'], 400, ['shelf of open'], ['shelf of open'], ['shelf of open']],
    async (send) =>
      valuesOf(
        await send('GET', `/shelves${queryOf({ filter: { tag: FIXED, 'book.secret': 'd' } })}`),
        'name',
      ),
  ),
  read(
    'sees the secret of a composed book',
    [null, null, 'd', null, 'd', 'd', 'd'],
    async (send, { ids }) => {
      const { body } = await send('GET', `/shelves/${ids['shelf of open']}?compose=true`);
      return body.results[0].book.secret ?? null;
    },
  ),
  read(
    'sees the pin of a note, in a collection without rules',
    [401, null, '1234', null, 401, '1234', '1234'],
    async (send, { ids }) => {
      const { status, body } = await send('GET', `/notes/${ids['a note']}`);
      return status === 200 ? (body.results[0].pin ?? null) : status;
    },
  ),
];
