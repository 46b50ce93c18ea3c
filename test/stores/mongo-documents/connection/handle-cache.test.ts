import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { createHandleCache } from '../../../../src/stores/mongo-documents/connection/handle-cache.ts';

it('makes each handle once, with the promises of the client', () => {
  const client = new MongoClient('mongodb://localhost:1', { writeConcern: { w: 'majority', journal: true } });
  const handles = createHandleCache(client);
  const books = handles.collection('library', 'books');
  expect(handles.collection('library', 'books')).toBe(books);
  expect(handles.database('library')).toBe(handles.database('library'));
  expect(books.namespace).toBe('library.books');
  expect(books.writeConcern).toMatchObject({ w: 'majority', journal: true });
  expect(handles.collection('library', '__proto__').namespace).toBe('library.__proto__');
});

it('does not grow for ever', () => {
  const handles = createHandleCache(new MongoClient('mongodb://localhost:1'));
  const first = handles.collection('library', 'books');
  for (let n = 0; n < 10_000; n += 1) handles.collection('library', `books-${n}`);
  expect(handles.collection('library', 'books')).not.toBe(first);
});
