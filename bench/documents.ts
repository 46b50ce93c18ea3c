// The data that both servers hold: books of about 550 bytes, each by one of a thousand people.
import type { JsonObject } from '../src/lib/json/json.ts';

export const PEOPLE_COUNT = 1000;
export const CATEGORIES = 100;

export const SPECIFICATIONS: Readonly<Record<string, JsonObject>> = {
  '1.0/bench/people': {
    fields: {
      name: { type: 'String', required: true },
      country: { type: 'String' },
      born: { type: 'Number' },
    },
    settings: { sort: 'name' },
  },
  '1.0/bench/books': {
    fields: {
      title: { type: 'String', required: true, validation: { maxLength: 200 } },
      isbn: { type: 'String', matchType: 'exact' },
      category: { type: 'String' },
      pages: { type: 'Number' },
      inPrint: { type: 'Boolean' },
      tags: { type: 'String' },
      summary: { type: 'String' },
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: {
      index: [
        { keys: { title: 1 } },
        { keys: { isbn: 1 }, options: { unique: true } },
        { keys: { category: 1, pages: 1 } },
      ],
    },
  },
};

const SENTENCE =
  'It is a truth universally acknowledged, that a single reader in possession of a good book. ';

export function person(n: number): JsonObject {
  return {
    name: `Person ${String(n).padStart(4, '0')}`,
    country: `Country ${n % 90}`,
    born: 1900 + (n % 100),
  };
}

/** `author` is the id of a person. Spread so that neighbours in time are no neighbours in an index. */
export function book(n: number, author: string): JsonObject {
  const spread = (n * 7919) % 1_000_003;
  return {
    title: `The Book of ${spread.toString(36)} and other stories, volume ${n}`,
    isbn: String(9_780_000_000_000 + n),
    category: `category-${spread % CATEGORIES}`,
    pages: 50 + (spread % 1200),
    inPrint: n % 3 === 0,
    tags: [`tag-${n % 50}`, `tag-${spread % 70}`],
    summary: SENTENCE.repeat(2),
    author,
  };
}
