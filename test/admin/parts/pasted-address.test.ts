// Addresses of documents that people paste: the collection and the id are found in them.
import { expect, it } from 'vitest';
import { parsePaste } from '../../../admin/src/views/clients/pasted-address.ts';

const PATHS = ['/1.0/library/books', '/1.0/library/books2'];
const ID = '0123456789abcdef01234567';

it.each([
  [ID, { path: undefined, document: ID }],
  [
    `https://api.example.org/1.0/library/books2/${ID}?compose=all`,
    { path: '/1.0/library/books2', document: ID },
  ],
  [`/admin/collections/1.0/library/books/${ID}/revisions`, { path: '/1.0/library/books', document: ID }],
  ['/1.0/library/films/1', { path: undefined, document: '/1.0/library/films/1' }],
])('a pasted address names its collection and document: %s', (text, expected) => {
  expect(parsePaste(text, PATHS)).toEqual(expected);
});
