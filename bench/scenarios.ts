// What is asked of the servers, and how much cheaper Cloister should be in processor time.
import { book, CATEGORIES } from './documents.ts';
import type { Engine } from './engines.ts';
import { BOOKS, type Sample } from './filled-servers.ts';
import type { Load } from './measure.ts';

export interface Scenario {
  readonly name: string;
  /** The least ratio to the first baseline of the engine. */
  readonly aims: Readonly<Partial<Record<Engine['name'], number>>>;
  readonly cloister: (sample: Sample) => Load;
  readonly baseline: (sample: Sample) => Load;
}

const get = (...paths: string[]): Load => ({ method: 'GET', paths });
const enc = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const categories = Array.from({ length: CATEGORIES }, (_, n) => `category-${n}`);

/** Creates a book with a number that no other has. */
function create(path: string, { author }: Sample): Load {
  let number = 100_000_000 + Math.floor(Math.random() * 1e9);
  const body = () => {
    number += 1;
    return JSON.stringify(book(number, author));
  };
  return { method: 'POST', paths: [path], body };
}

export const SCENARIOS = [
  {
    name: 'by id',
    aims: { sqlite: 0.9, mongodb: 0.85 },
    cloister: ({ ids }) => get(...ids.map((id) => `${BOOKS}/${id}`)),
    baseline: ({ ids }) => get(...ids.map((id) => `/books/${id}`)),
  },
  {
    name: 'indexed filter, one match',
    aims: {},
    cloister: ({ isbns }) => get(...isbns.map((isbn) => `${BOOKS}?filter=${enc({ isbn })}`)),
    baseline: ({ isbns }) => get(...isbns.map((isbn) => `/books?isbn=${isbn}`)),
  },
  {
    name: 'list of 40',
    aims: { sqlite: 1.8, mongodb: 0.85 },
    cloister: () => get(BOOKS),
    baseline: () => get('/books?total=1'),
  },
  {
    name: 'indexed filter and sort of 40',
    aims: { sqlite: 1.6, mongodb: 0.85 },
    cloister: () =>
      get(...categories.map((category) => `${BOOKS}?filter=${enc({ category })}&sort=${enc({ pages: -1 })}`)),
    baseline: () => get(...categories.map((category) => `/books?category=${category}&total=1`)),
  },
  {
    name: 'composed list of 40',
    aims: { sqlite: 1.8, mongodb: 0.85 },
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true&total=1'),
  },
  {
    name: 'create, three indexes',
    aims: { sqlite: 0.65, mongodb: 0.85 },
    cloister: (sample) => create(BOOKS, sample),
    baseline: (sample) => create('/books', sample),
  },
] as const satisfies readonly Scenario[];
