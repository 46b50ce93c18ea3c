// The default bucket of media: a media collection that needs no specification. It is there where others refer to it, as on the
// older servers, and nowhere else: who wants no media, or has media collections of other names, gets none.
import type { Config } from '../config/schema.ts';
import { namespaceKey } from '../stores/ports.ts';
import {
  type Collection,
  type CollectionAddress,
  type CollectionRegistry,
  type ImpliedCollections,
  referenceFields,
} from './model/collection.ts';
import { createCollectionRegistry } from './model/collection-registry.ts';
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

/** The folder of a database, in which names are unique. */
const folderOf = ({ version, database }: Pick<CollectionAddress, 'version' | 'database'>) =>
  `${version}/${database}`;
/** Where no other name may be that differs only by case. */
const foldedPath = (address: CollectionAddress) => `${folderOf(address)}/${address.name.toLowerCase()}`;

/** What the bucket needs to know of each collection. */
interface CollectionFacts {
  readonly folder: string;
  readonly foldedPath: string;
  /** The databases that its references to the bucket name. */
  readonly databases: readonly string[];
  /** Where it has its documents, and their revisions. */
  readonly places: readonly string[];
}

/** Finds what a collection tells of itself. A start asks for each as often as there are collections, so answers are kept. */
function createFacts(name: string): (collection: Collection) => CollectionFacts {
  const known = new WeakMap<Collection, CollectionFacts>();
  return (collection) => {
    const before = known.get(collection);
    if (before !== undefined) return before;
    const references = referenceFields(collection).filter(({ reference }) => reference.collection === name);
    const revisions = activeRevisionNamespace(collection);
    const facts = {
      folder: folderOf(collection),
      foldedPath: foldedPath(collection),
      databases: references.map(({ reference: { database = collection.database } }) => database),
      places: [collection.namespace, ...(revisions === undefined ? [] : [revisions])].map(namespaceKey),
    };
    known.set(collection, facts);
    return facts;
  };
}

type FactsOf = ReturnType<typeof createFacts>;

function findCandidates(
  specified: readonly Collection[],
  options: DefaultBucketOptions & { readonly factsOf: FactsOf },
): readonly Candidate[] {
  const { name, isWanted, enableCollectionDatabases, factsOf } = options;
  const folders = new Set(specified.map((one) => factsOf(one).folder));
  const uses = specified.flatMap((user) =>
    factsOf(user).databases.map((database) => {
      // Where folders share their documents, a folder that is named and not there means the collection's own.
      const isThere = enableCollectionDatabases || folders.has(folderOf({ version: user.version, database }));
      return { user, database: isThere ? database : user.database };
    }),
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
  const factsOf = createFacts(options.name);
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
    const candidates = findCandidates(specified, { ...options, factsOf });
    if (candidates.length === 0) return [];
    const facts = specified.map(factsOf);
    const taken = new Set([...withheld].map(placeOfPath));
    for (const place of facts.flatMap(({ places }) => places)) taken.add(place);
    const names = new Set(facts.map((one) => one.foldedPath));
    const isFree = ({ address }: Candidate) =>
      !taken.has(spaceOf(address)) &&
      !names.has(foldedPath(address)) &&
      checkCollectionAddress(address).length === 0;
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
