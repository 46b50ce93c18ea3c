// Live collections from short specifications, for tests of what works on them.

import type { Collection, CollectionAddress } from '../../src/collections/model/collection.ts';
import {
  type ParsedSpecification,
  parseSpecification,
} from '../../src/collections/specifications/parse-specification.ts';
import { AppError, type ErrorItem } from '../../src/errors/errors.ts';
import type { Json } from '../../src/lib/json/json.ts';

export const BOOKS_ADDRESS: CollectionAddress = { version: '1.0', database: 'library', name: 'books' };

export function parse(
  fields: Json,
  settings: Json = {},
  address: Partial<CollectionAddress> = {},
): ParsedSpecification {
  const at = { ...BOOKS_ADDRESS, ...address };
  return parseSpecification({ fields, settings }, at, { enableCollectionDatabases: false });
}

export function makeCollection(
  fields: Json,
  settings: Json = {},
  address: Partial<CollectionAddress> = {},
): Collection {
  return parse(fields, settings, address).collection;
}

/** The items of the AppError that `action` throws; fails when it throws none. */
export function itemsOf(action: () => unknown): readonly ErrorItem[] {
  try {
    action();
  } catch (error) {
    if (error instanceof AppError) return error.items;
    throw error;
  }
  throw new Error('nothing was thrown');
}
