// Which component schemas of a collection there are for a caller. Schemas refer to each other, so this is decided in one place.
import { showsFields } from '../model/access.ts';
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceTarget,
} from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import { schemaNames } from './collection-key.ts';

/** Whose description is made, and of what. */
export interface DescriptionContext {
  readonly registry: Pick<CollectionRegistry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly caller: Pick<Caller, 'access'>;
  /** How internals are named: as the collection says whose path is asked, of composed documents too. Its own unless given. */
  readonly underscored?: boolean;
}

/** Whether internals have an underscore in what is described. */
export const isUnderscored = ({ settings }: Collection, { underscored }: DescriptionContext): boolean =>
  underscored ?? settings.underscored;

/** The names of a collection's component schemas in answers of the collection that is described. */
export const namesIn = (collection: Collection, of: Collection, context: DescriptionContext) =>
  schemaNames(collection, isUnderscored(of, context));

/** What there is of a collection for a caller. */
export interface CollectionParts {
  /** Answers show fields: to reads, or at least to writes. Otherwise they show ids. */
  readonly showsFields: boolean;
  readonly creation: boolean;
  readonly change: boolean;
  readonly revision: boolean;
}

/** What there is of a collection for the caller of the context. */
export function collectionParts(
  collection: Collection,
  { registry, caller }: DescriptionContext,
): CollectionParts {
  const access = caller.access(collection);
  const { settings } = collection;
  const isReadOnly = registry.isRevisionCollection(collection);
  // Records are created by uploads, which only media collections take.
  const isCreatable = settings.media || !registry.holdsRecords(collection);
  return {
    showsFields: showsFields(access),
    creation: access.create !== null && !isReadOnly && isCreatable,
    change: access.update !== null && !isReadOnly,
    revision: settings.storeRevisions && access.read !== null && access.history !== null,
  };
}

/** The collection that a Reference field refers to, and whether sub-documents in the field are written there. */
export function describedTarget(collection: Collection, field: Field, { registry }: DescriptionContext) {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined) return undefined;
  const isWritable = !registry.holdsRecords(target) && !registry.isRevisionCollection(target);
  return { target, isWritable };
}
