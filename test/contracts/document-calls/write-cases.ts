// Creates, and unique indexes, with what is answered or how they are refused. Before each one the documents are those of `site.ts`.
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentCall } from './calls.ts';

export interface WriteCase {
  readonly title: string;
  readonly call: DocumentCall;
  /** A hook cannot return it: another error says that. */
  readonly isUnreturnable?: boolean;
  /** What the body holds. */
  readonly answers?: object;
  /** The code, the field and the index of each error. */
  readonly refused?: readonly (readonly [code: string, field?: string | undefined, index?: number])[];
}

const creates = (title: string, documents: Json, answers: object, options?: JsonObject): WriteCase => ({
  title: `create: ${title}`,
  answers,
  call: { action: 'create', documents, ...(options && { options }) },
});

/** Members that are left out of what is sent. */
export const SERVERS_OWN = {
  _id: '0123456789abcdef01234567',
  v: 9,
  createdBy: 'x',
  createdAt: 1,
  apiVersion: '9',
  history: ['x'],
  lastModifiedAt: 1,
  lastModifiedBy: 'x',
  composed: { author: 'x' },
};

export const CREATES: readonly WriteCase[] = [
  creates('one document', { name: 'e', n: 5 }, { results: [{ name: 'e', n: 5, v: 1, createdBy: 'admin' }] }),
  creates('a batch', [{ name: 'e' }, { name: 'f', slug: 'f' }], { results: [{ name: 'e' }, { name: 'f' }] }),
  creates(
    'what only the server writes is left out',
    { name: 'e', ...SERVERS_OWN },
    { results: [{ v: 1, createdBy: 'admin' }] },
  ),
  creates(
    'values become what their fields hold',
    { name: 'e', day: '2020-01-01T01:00:00+01:00', oid: 'id of Ada' },
    { results: [{ day: '2020-01-01T00:00:00.000Z' }] },
  ),
  creates(
    'null is a value',
    { name: 'e', n: null, slug: null, box: null, author: null },
    { results: [{ n: null, slug: null }] },
  ),
  creates('lists in text', { name: ['e', 'é', ''], text: [] }, { results: [{ name: ['e', 'é', ''] }] }),
  creates('any text', { name: 'a\u0000b\u2028\r\n😀' }, { results: [{ name: 'a\u0000b\u2028\r\n😀' }] }),
  creates(
    'large numbers',
    { name: 'e', n: 9007199254740992, any: [1e300, -0.1, 123456789012345680000] },
    { results: [{ n: 9007199254740992 }] },
  ),
  creates(
    'a reference by id',
    { name: 'e', author: 'id of Ada' },
    { results: [{ author: expect.any(String) }] },
  ),
  creates(
    'a reference by the document',
    { name: 'e', author: { _id: 'id of Ada', name: 'Ada' } },
    { results: [{ author: { name: 'Ada' } }] },
  ),
  creates(
    'a nested document',
    { name: 'e', author: { name: 'Cy', born: 2000 } },
    { results: [{ author: { name: 'Cy' } }] },
  ),
  creates(
    'nested documents in a list',
    { name: 'e', readers: ['id of Bo', { name: 'Cy' }] },
    { results: [{ readers: [{ name: 'Bo' }, { name: 'Cy' }] }] },
  ),
  creates(
    'a nested document that changes',
    { name: 'e', author: { _id: 'id of Ada', born: 1816 } },
    { results: [{ author: { born: 1816 } }] },
  ),
  creates(
    'composed on request',
    { name: 'e', author: 'id of Ada' },
    { results: [{ author: { name: 'Ada' } }] },
    { compose: true },
  ),
  creates(
    'not composed on request',
    { name: 'e', author: { name: 'Cy' } },
    { results: [{ author: expect.any(String) }] },
    { compose: false },
  ),
];

const denies = (documents: Json, ...refused: NonNullable<WriteCase['refused']>): WriteCase => ({
  title: `create: ${JSON.stringify(documents)?.slice(0, 90)} is refused`,
  call: { action: 'create', documents },
  refused,
});

const CODES: ReadonlyMap<string, string> = new Map([
  ['name', 'ERROR_REQUIRED'],
  ['oid', 'ERROR_INVALID_ID'],
  ['other', 'ERROR_NOT_IN_SCHEMA'],
]);

export const REFUSED_CREATES: readonly WriteCase[] = [
  denies({}, ['ERROR_REQUIRED', 'name']),
  denies({ name: null }, ['ERROR_REQUIRED', 'name']),
  denies({ name: 'e', nme: 1 }, ['ERROR_NOT_IN_SCHEMA', 'nme']),
  denies({ name: 'e', $unset: ['n'] }, ['ERROR_NOT_IN_SCHEMA', '$unset']),
  denies(
    { n: 'x', ok: 1, day: 'soon', author: 5, oid: 'x', box: 5, other: 1 },
    ...['name', 'n', 'ok', 'day', 'author', 'oid', 'box', 'other'].map((field): [string, string] => [
      CODES.get(field) ?? 'ERROR_VALUE_INVALID',
      field,
    ]),
  ),
  denies({ name: 'e', text: 'x'.repeat(21) }, ['ERROR_MAX_LENGTH', 'text']),
  denies({ name: 'e', code: 'A1' }, ['ERROR_REGEX', 'code']),
  denies(
    [{ name: 'e' }, { n: 1 }, { name: 'g', n: [] }],
    ['ERROR_REQUIRED', 'name', 1],
    ['ERROR_VALUE_INVALID', 'n', 2],
  ),
  { ...denies([{ name: 'e' }, 5], ['ERROR_VALUE_INVALID', undefined, 1]), isUnreturnable: true },
  { ...denies(null, ['ERROR_VALUE_INVALID']), isUnreturnable: true },
  denies([], ['BAD_REQUEST']),
  denies({ name: 'e', author: { born: 1 } }, ['ERROR_REQUIRED', 'author.name']),
  denies({ name: 'e', readers: [{ name: 'Cy' }, { name: 'Di', born: 'x' }] }, [
    'ERROR_VALUE_INVALID',
    'readers.1.born',
  ]),
  denies({ name: 'e', author: { _id: '0123456789abcdef01234567', name: 'x' } }, [
    'ERROR_VALUE_INVALID',
    'author._id',
  ]),
  denies({ name: 'e', slug: 'a' }, ['ERROR_UNIQUE', 'slug']),
  denies(
    [
      { name: 'e', slug: 'e' },
      { name: 'f', slug: 'e' },
    ],
    ['ERROR_UNIQUE', 'slug', 1],
  ),
];

const coded = ({ call, ...rest }: WriteCase): WriteCase => ({
  ...rest,
  call: { ...call, collection: 'coded' },
});

/** A unique index that is not sparse: a missing value counts as null. */
export const UNIQUE_CASES: readonly WriteCase[] = [
  denies({ name: 'three', rank: 1 }, ['ERROR_UNIQUE', 'rank']),
  denies({ name: 'none too' }, ['ERROR_UNIQUE', 'rank']),
  denies({ name: 'null', rank: null }, ['ERROR_UNIQUE', 'rank']),
  denies(
    [
      { name: 'four', rank: 4 },
      { name: 'five', rank: 4 },
    ],
    ['ERROR_UNIQUE', 'rank', 1],
  ),
  {
    title: 'update: to a value that is taken',
    call: { action: 'update', query: { name: 'none' }, update: { rank: 1 } },
    refused: [['ERROR_UNIQUE', 'rank']],
  },
  {
    title: 'update: $unset where null is taken',
    call: { action: 'update', query: { name: 'one' }, update: { $unset: ['rank'] } },
    refused: [['ERROR_UNIQUE', 'rank']],
  },
].map((one) => coded(one as WriteCase));
