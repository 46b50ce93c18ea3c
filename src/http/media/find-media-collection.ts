// Which media collection is meant where a path or a body does not give version, database and name.
import type { Collection, CollectionAddress } from '../../collections/model/collection.ts';
import type { Registry } from '../../collections/model/registry.ts';
import { AppError } from '../../errors.ts';

type Collections = Pick<Registry, 'list'>;

/** Collections that an error names. */
const MAX_NAMED = 10;

const isMedia = ({ settings }: Collection) => settings.media;

/** The only media collection; undefined when there is none, or more than one. */
export function findOnlyMediaCollection(registry: Collections): Collection | undefined {
  const [only, ...others] = registry.list().filter(isMedia);
  return others.length === 0 ? only : undefined;
}

/** The media collection of this name; undefined when there is none, or more than one of other versions or databases. */
export function findMediaCollectionByName(registry: Collections, name: string): Collection | undefined {
  const [only, ...others] = registry.list().filter((one) => one.name === name && isMedia(one));
  return others.length === 0 ? only : undefined;
}

/** What a body says of a collection. Undefined members were not sent. */
export type PartialAddress = Readonly<Partial<Record<keyof CollectionAddress, string>>>;

const matchesAddress = (collection: Collection, { version, database, name }: PartialAddress) =>
  (version ?? collection.version) === collection.version &&
  (database ?? collection.database) === collection.database &&
  (name ?? collection.name) === collection.name;

function collectionError(message: string): AppError {
  return new AppError('BAD_REQUEST', { field: 'collection', message });
}

/**
 * The one media collection that fits `address`. `maySee` says which ones an error may name. Throws NOT_FOUND when a
 * collection is named and there is none such, BAD_REQUEST when none is named and none exists, or several fit.
 */
export function findMediaCollection(
  registry: Collections,
  address: PartialAddress,
  maySee: (collection: Collection) => boolean,
): Collection {
  const [found, ...others] = registry.list().filter((one) => isMedia(one) && matchesAddress(one, address));
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const paths = [found, ...others].filter(maySee).map(({ path }) => path);
    const named = paths.length === 0 ? '' : `, among them ${paths.slice(0, MAX_NAMED).join(', ')}`;
    throw collectionError(
      `Several media collections fit${named}: say which one with \`collection\`, \`database\` and \`version\``,
    );
  }
  if (Object.values(address).some((value) => value !== undefined)) {
    throw new AppError('NOT_FOUND', { field: 'collection', message: 'There is no such media collection' });
  }
  throw collectionError('There is no media collection');
}
