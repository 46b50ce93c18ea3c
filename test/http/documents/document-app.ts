// An application with one collection for each way in which the handlers of documents tell collections apart.
import { expect } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { BOOKS, PEOPLE } from '../../helpers/fixtures/library.ts';

export const PATH = '/1.0/library/books';
/** An id that no document has. */
export const UNKNOWN = '0123456789abcdef01234567';

const spec = (settings: object, fields: object = { title: {} }) => ({ fields, settings }) as typeof BOOKS;

export function startDocumentApp(): Promise<TestApp> {
  return startApp({
    specs: {
      '1.0/library/books': BOOKS,
      '1.0/library/people': PEOPLE,
      '1.0/library/booksHistory': spec({}),
      '1.0/library/open': spec({ authenticate: false }),
      '1.0/library/writable': spec({ authenticate: ['GET', 'PUT', 'DELETE'] }),
      '1.0/library/pictures': spec({ type: 'media' }),
      '1.0/library/jsonp': spec({ callback: 'show' }),
      '1.0/library/named': spec({}, { query: { type: 'Object' }, update: { type: 'Object' } }),
    },
  });
}

/** Creates a document and resolves with it. */
export async function createTitled(app: TestApp, title: string, path = PATH) {
  const { status, body } = await app.inject('POST', path, { body: { title } });
  expect(status).toBe(200);
  return body.results[0];
}

const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`;
export const byTitle = (title: string) => query({ filter: JSON.stringify({ title }) });
