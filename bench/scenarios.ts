// What is asked of both servers, and how many times as fast as the bare one Cloister should be.
import { book, CATEGORIES } from './documents.ts';
import type { Engine } from './engines.ts';
import type { Load } from './measure.ts';
import type { Contestant } from './servers.ts';

export interface Scenario {
  readonly name: string;
  /** What the ratio should be at least. */
  readonly aims?: Readonly<Record<Engine['name'], number>>;
  readonly cloister: (contestant: Contestant) => Load;
  readonly baseline: (contestant: Contestant) => Load;
}

const get = (...paths: string[]): Load => ({ method: 'GET', paths });
const enc = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const categories = Array.from({ length: CATEGORIES }, (_, n) => `category-${n}`);
const BOOKS = '/1.0/bench/books';

const filtered = () =>
  get(...categories.map((category) => `${BOOKS}?filter=${enc({ category })}&sort=${enc({ pages: -1 })}`));

let serial = 100_000_000;
const create = (path: string, { author }: Contestant): Load => ({
  method: 'POST',
  paths: [path],
  body: () => {
    serial += 1;
    return JSON.stringify(book(serial, author));
  },
});

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'by id',
    aims: { sqlite: 1, mongodb: 0.85 },
    cloister: ({ ids }) => get(...ids.map((id) => `${BOOKS}/${id}`)),
    baseline: ({ ids }) => get(...ids.map((id) => `/books/${id}`)),
  },
  {
    name: 'indexed filter, one match',
    cloister: ({ isbns }) => get(...isbns.map((isbn) => `${BOOKS}?filter=${enc({ isbn })}`)),
    baseline: ({ isbns }) => get(...isbns.map((isbn) => `/books?isbn=${isbn}`)),
  },
  {
    name: 'list of 40',
    aims: { sqlite: 1.5, mongodb: 0.85 },
    cloister: () => get(BOOKS),
    baseline: () => get('/books?total=1'),
  },
  {
    name: 'indexed filter and sort of 40',
    aims: { sqlite: 1.5, mongodb: 0.85 },
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}&total=1`)),
  },
  {
    name: 'composed list of 40',
    aims: { sqlite: 1.2, mongodb: 0.85 },
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true&total=1'),
  },
  {
    name: 'create, three indexes',
    aims: { sqlite: 0.8, mongodb: 0.85 },
    cloister: (contestant) => create(BOOKS, contestant),
    baseline: (contestant) => create('/books', contestant),
  },
  {
    name: 'list of 40, baseline without total',
    cloister: () => get(BOOKS),
    baseline: () => get('/books'),
  },
  {
    name: 'filter and sort, baseline without total',
    cloister: filtered,
    baseline: () => get(...categories.map((category) => `/books?category=${category}`)),
  },
  {
    name: 'composed list, baseline without total',
    cloister: () => get(`${BOOKS}?compose=true`),
    baseline: () => get('/books?compose=true'),
  },
];
