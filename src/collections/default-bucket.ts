// The default bucket of media: a media collection that needs no specification. It is there where others refer to it, as on the
// older servers, and nowhere else: who wants no media, or has media collections of other names, gets none.
import type { Config } from '../config/schema.ts';
import { namespaceKey } from '../stores/ports.ts';
import {
  type Collection,
  type CollectionAddress,
  type CollectionRegistry,
  createCollectionRegistry,
  type ImpliedCollections,
  referenceFields,
} from './model/collection.ts';
import { activeRevisionNamespace } from './model/stored-document.ts';
import { checkCollectionAddress, collectionPath, namespaceOf } from './specifications/collection-address.ts';
import { parseSpecification } from './specifications/parse-specification.ts';

interface DefaultBucketOptions {
  /** `media.defaultBucket` */
  readonly name: string;
  /** `media.enabled` is true: uploads are wanted, whether or not a specification refers to the bucket. */
  readonly isWanted: boolean;
  /** Each database folder has a namespace of its own. */
  readonly enableCollectionDatabases: boolean;
}

/** A bucket that may be implied, and the collections on account of which it is. */
interface Candidate {
  readonly address: CollectionAddress;
  readonly users: readonly Collection[];
}

const isOf = ({ version, database }: CollectionAddress) => {
  return (other: CollectionAddress) => other.version === version && other.database === database;
};

/** Finds the databases that the references of a collection to the bucket name. A start asks for each collection many times. */
function createReferences(name: string): (collection: Collection) => readonly string[] {
  const known = new WeakMap<Collection, readonly string[]>();
  return (collection) => {
    const before = known.get(collection);
    if (before !== undefined) return before;
    const references = referenceFields(collection).filter(({ reference }) => reference.collection === name);
    const found = references.map(({ reference: { database = collection.database } }) => database);
    known.set(collection, found);
    return found;
  };
}

type References = ReturnType<typeof createReferences>;

/** The databases in which a collection refers to the bucket. */
function databasesReferredTo(
  collection: Collection,
  specified: readonly Collection[],
  {
    referencesOf,
    enableCollectionDatabases,
  }: Pick<DefaultBucketOptions, 'enableCollectionDatabases'> & { readonly referencesOf: References },
): readonly string[] {
  return referencesOf(collection).map((database) => {
    // Where folders share their documents, a folder that is named and not there means the collection's own.
    const isThere = specified.some(isOf({ ...collection, database }));
    return isThere || enableCollectionDatabases ? database : collection.database;
  });
}

function findCandidates(
  specified: readonly Collection[],
  options: DefaultBucketOptions & { readonly referencesOf: References },
): readonly Candidate[] {
  const { name, isWanted } = options;
  const uses = specified.flatMap((user) =>
    databasesReferredTo(user, specified, options).map((database) => ({ user, database })),
  );
  const wanted =
    uses.length === 0 && isWanted && !specified.some(({ settings }) => settings.media)
      ? specified.map((user) => ({ user, database: user.database }))
      : uses;
  const groups = Map.groupBy(wanted, ({ user: { version }, database }) =>
    collectionPath({ version, database, name }),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { user, database } = first;
    return [{ address: { version: user.version, database, name }, users: group.map((one) => one.user) }];
  });
}

/**
 * Makes what implies the default bucket. A specification of its name, or one that has the same documents, takes its place, also
 * one that cannot be read: what its rules keep back must not be open without them.
 */
function createDefaultBucket(options: DefaultBucketOptions): ImpliedCollections {
  const { enableCollectionDatabases } = options;
  const referencesOf = createReferences(options.name);
  /** Answers and prepared reads are kept by collection: the same bucket must stay the same object. */
  const known = new Map<string, Collection>();
  const spaceOf = (address: CollectionAddress) =>
    namespaceKey(namespaceOf(address, enableCollectionDatabases));

  const bucketOf = ({ address, users }: Candidate): Collection => {
    const isUnderscored = users.every(({ settings }) => settings.underscored);
    const key = `${collectionPath(address)} ${isUnderscored}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const settings = { type: 'mediaCollection', ...(isUnderscored && { internals: 'underscored' }) };
    const { collection } = parseSpecification({ fields: {}, settings }, address, {
      enableCollectionDatabases,
    });
    const bucket = { ...collection, implied: true };
    known.set(key, bucket);
    return bucket;
  };

  const placeOfPath = (path: string) => {
    const [, version = '', database = '', name = ''] = path.split('/');
    return spaceOf({ version, database, name });
  };

  return (specified, withheld) => {
    const candidates = findCandidates(specified, { ...options, referencesOf });
    if (candidates.length === 0) return [];
    const taken = new Set([...withheld].map(placeOfPath));
    for (const collection of specified) {
      taken.add(namespaceKey(collection.namespace));
      const revisions = activeRevisionNamespace(collection);
      if (revisions !== undefined) taken.add(namespaceKey(revisions));
    }
    const isFree = ({ address }: Candidate) => {
      const isSameButCase = (other: Collection) =>
        isOf(address)(other) && other.name.toLowerCase() === address.name.toLowerCase();
      return (
        !taken.has(spaceOf(address)) &&
        !specified.some(isSameButCase) &&
        checkCollectionAddress(address).length === 0
      );
    };
    return candidates.filter(isFree).map(bucketOf);
  };
}

/** Makes the registry of a site, empty so far. */
export function createSiteRegistry({
  media,
  database,
}: Pick<Config, 'media' | 'database'>): CollectionRegistry {
  const { enableCollectionDatabases } = database;
  const isWanted = media.enabled === true;
  return createCollectionRegistry(
    createDefaultBucket({ name: media.defaultBucket, isWanted, enableCollectionDatabases }),
  );
}
