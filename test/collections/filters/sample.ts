// A collection with a field of every kind, and filters on it, for the tests of this folder.
import type { Collection } from '../../../src/collections/collection.ts';
import type { Draft } from '../../../src/collections/filters/draft.ts';
import { type ParseOptions, parseFilter } from '../../../src/collections/filters/parse.ts';
import { AppError, type ErrorItem } from '../../../src/errors.ts';
import type { Json } from '../../../src/lib/json.ts';
import { collectionOf } from '../library.ts';

export const ID = '5f0000000000000000000aB1';

export const BOOKS = collectionOf('books', {
  fields: {
    title: { type: 'String' },
    isbn: { type: 'String', matchType: 'exact' },
    pages: { type: 'Number' },
    inPrint: { type: 'Boolean' },
    published: { type: 'DateTime' },
    dimensions: { type: 'Object' },
    notes: { type: 'Mixed' },
    shelf: { type: 'ObjectID' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    constructor: { type: 'String' },
  },
});

export const PEOPLE: Collection = collectionOf('people', {
  fields: { name: { type: 'String' }, friend: { type: 'Reference' }, born: { type: 'Number' } },
});

const OPTIONS: ParseOptions = {
  limits: { filterDepth: 8, filterNodes: 200 },
  target: (_collection, field) => (field.name === 'author' || field.name === 'friend' ? PEOPLE : undefined),
};

export function draftOf(filter: Json, options: Partial<ParseOptions> = {}): Draft {
  return parseFilter(filter, BOOKS, { ...OPTIONS, ...options });
}

/** The one item of the 400 that the filter must end in. */
export function refusalOf(filter: Json, options: Partial<ParseOptions> = {}): ErrorItem {
  try {
    draftOf(filter, options);
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILTER_INVALID') return error.items[0]!;
    throw error;
  }
  throw new Error(`nothing was refused: ${JSON.stringify(filter)}`);
}
