// Finds the media collection that a path or a body names in part: without version, database or name.
import type {
  Collection,
  CollectionAddress,
  CollectionRegistry,
} from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import { namespaceKey } from '../../stores/ports.ts';

type Collections = Pick<CollectionRegistry, 'list'>;

/** Collections that an error lists. */
const MAX_NAMED = 10;

const isMedia = ({ settings }: Collection) => settings.media;

const isNewer = (one: Collection, other: Collection) =>
  one.version.localeCompare(other.version, 'en', { numeric: true }) > 0;

/** Of buckets without a specification that have the same documents, which are equal, the one of the latest version. */
function withoutCopies(collections: readonly Collection[]): readonly Collection[] {
  const isCopyOf = (one: Collection) => (other: Collection) =>
    one.implied &&
    other.implied &&
    namespaceKey(one.namespace) === namespaceKey(other.namespace) &&
    (isNewer(other, one) || (other.version === one.version && other.path < one.path));
  return collections.filter((one) => !collections.some(isCopyOf(one)));
}

/** The only media collection, or of several the default bucket; undefined when there is neither. */
export function findDefaultMediaCollection(
  registry: Collections,
  defaultBucket: string,
): Collection | undefined {
  const [only, ...others] = withoutCopies(registry.list().filter(isMedia));
  return others.length === 0 ? only : findMediaCollectionByName(registry, defaultBucket);
}

/** The media collection of this name; undefined when there is none, or more than one of other versions or databases. */
export function findMediaCollectionByName(registry: Collections, name: string): Collection | undefined {
  const [only, ...others] = withoutCopies(
    registry.list().filter((collection) => collection.name === name && isMedia(collection)),
  );
  return others.length === 0 ? only : undefined;
}

/** The address of a collection as far as a body gives it. */
export type PartialAddress = Readonly<Partial<Record<keyof CollectionAddress, string>>>;

const matchesAddress = (collection: Collection, { version, database, name }: PartialAddress) =>
  (version ?? collection.version) === collection.version &&
  (database ?? collection.database) === collection.database &&
  (name ?? collection.name) === collection.name;

function collectionError(message: string): AppError {
  return new AppError('BAD_REQUEST', { field: 'collection', message });
}

interface FindOptions {
  /** Which ones an error may list. */
  readonly maySee: (collection: Collection) => boolean;
  /** `media.defaultBucket`: what an empty address means where there are several. */
  readonly defaultBucket?: string;
}

/**
 * The only media collection that matches `address`, or of several the default bucket where the address is empty. Throws NOT_FOUND for an address
 * that matches none, BAD_REQUEST for an empty one where there is no media collection, and where several match.
 */
export function findMediaCollection(
  registry: Collections,
  address: PartialAddress,
  { maySee, defaultBucket }: FindOptions,
): Collection {
  const isEmpty = Object.values(address).every((value) => value === undefined);
  const byDefault =
    isEmpty && defaultBucket !== undefined ? findDefaultMediaCollection(registry, defaultBucket) : undefined;
  if (byDefault !== undefined) return byDefault;
  const [found, ...others] = withoutCopies(
    registry.list().filter((collection) => isMedia(collection) && matchesAddress(collection, address)),
  );
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const paths = [found, ...others].filter(maySee).map(({ path }) => path);
    const examples = paths.length === 0 ? '' : `, among them ${paths.slice(0, MAX_NAMED).join(', ')}`;
    throw collectionError(
      `Several media collections fit${examples}: say which one with \`collection\`, \`database\` and \`version\``,
    );
  }
  if (!isEmpty) {
    throw new AppError('NOT_FOUND', { field: 'collection', message: 'There is no such media collection' });
  }
  throw collectionError('There is no media collection');
}
