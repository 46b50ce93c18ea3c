// Specifications and documents that tests share: books that refer to people, with revisions and indexes.
import type { JsonObject } from '../../src/lib/json/json.ts';

/** Every field type, one unique and one plain index, no revisions. */
export const PEOPLE: JsonObject = {
  fields: {
    name: { type: 'String', required: true },
    email: { type: 'String' },
    born: { type: 'Number' },
    alive: { type: 'Boolean', default: true },
    friend: { type: 'Reference', settings: { collection: 'people' } },
  },
  settings: {
    count: 40,
    sort: 'name',
    sortOrder: 1,
    compose: true,
    index: [{ keys: { email: 1 }, options: { unique: true, sparse: true } }, { keys: { born: 1 } }],
  },
};

/** References, revisions, a rule per field type, a compound index. */
export const BOOKS: JsonObject = {
  fields: {
    title: {
      type: 'String',
      required: true,
      message: 'A book needs a title',
      validation: { maxLength: 200 },
    },
    isbn: { type: 'String', matchType: 'exact', validation: { regex: { pattern: '^[0-9-]{10,17}$' } } },
    pages: { type: 'Number' },
    inPrint: { type: 'Boolean' },
    published: { type: 'DateTime' },
    tags: { type: 'String' },
    dimensions: { type: 'Object' },
    notes: { type: 'Mixed' },
    shelf: { type: 'ObjectID' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    related: { type: 'Reference' },
  },
  settings: {
    count: 40,
    sort: 'title',
    sortOrder: 1,
    storeRevisions: true,
    index: [{ keys: { title: 1 } }, { keys: { pages: 1, title: 1 } }],
  },
};

/** Specifications by `version/database/name`, the way `startApp` takes them. */
export const LIBRARY: Readonly<Record<string, JsonObject>> = {
  '1.0/library/books': BOOKS,
  '1.0/library/people': PEOPLE,
};

/** A valid book; `n` makes it one of many. */
export function book(n: number, more: JsonObject = {}): JsonObject {
  return {
    title: `Book ${String(n).padStart(4, '0')}`,
    pages: 100 + (n % 300),
    tags: [`tag${n % 5}`],
    ...more,
  };
}

/** A valid person; `n` makes them one of many. */
export function person(n: number, more: JsonObject = {}): JsonObject {
  return { name: `Person ${n}`, email: `person${n}@example.org`, born: 1900 + (n % 100), ...more };
}
