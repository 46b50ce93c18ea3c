// The names of a collection's parts in the API description: the key in operation ids, and its component schemas.
import { identifierKey } from '../../lib/identifier-key.ts';
import type { Collection } from '../model/collection.ts';

/** The key of the collection at `path`, such as `/1.0/library/books`: `1_0__library__books`. Each collection has its own. */
export function collectionKey(path: string): string {
  return identifierKey(path);
}

/** The names of a collection's component schemas. */
export interface SchemaNames {
  /** A document as it is read. */
  readonly document: string;
  /** A document as it is created. */
  readonly creation: string;
  /** The fields that an update sets. */
  readonly change: string;
  /** A revision of a document. */
  readonly revision: string;
}

/**
 * The names of the component schemas of a collection, which are its own. `underscored`: how internals are named in them, where
 * that follows from another collection, into whose documents these are composed.
 */
export function schemaNames(
  { path, settings }: Pick<Collection, 'path' | 'settings'>,
  underscored = settings.underscored,
): SchemaNames {
  const other = underscored ? 'underscored_' : 'plain_';
  const mark = underscored === settings.underscored ? '' : other;
  const key = collectionKey(path);
  return {
    document: `${mark}doc_${key}`,
    creation: `${mark}new_${key}`,
    change: `${mark}change_${key}`,
    revision: `${mark}revision_${key}`,
  };
}
