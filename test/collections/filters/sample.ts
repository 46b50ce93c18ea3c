// A collection with a field of every kind, and filters on it, for the tests of this folder.

import { type FilterParseOptions, parseFilter } from '../../../src/collections/filters/parse.ts';
import type { ParsedFilter } from '../../../src/collections/filters/parsed-filter.ts';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { AppError, type ErrorItem } from '../../../src/errors/errors.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { collectionOf } from '../library-service.ts';

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

const OPTIONS: FilterParseOptions = {
  limits: { filterDepth: 8, filterNodes: 200 },
  resolveTarget: (_collection, field) =>
    field.name === 'author' || field.name === 'friend' ? PEOPLE : undefined,
};

export function parseSample(filter: Json, options: Partial<FilterParseOptions> = {}): ParsedFilter {
  return parseFilter(filter, BOOKS, { ...OPTIONS, ...options });
}

/** The issue of the FILTER_INVALID that the filter must end in. */
export function issueOf(filter: Json, options: Partial<FilterParseOptions> = {}): ErrorItem {
  try {
    parseSample(filter, options);
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILTER_INVALID') return error.items[0]!;
    throw error;
  }
  throw new Error(`no error: ${JSON.stringify(filter)}`);
}
