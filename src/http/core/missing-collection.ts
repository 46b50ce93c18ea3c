// The error for the path of a collection that does not exist. An admin, who may know all names, is told which part of it is wrong; to
// everybody else it is the error of any path that nothing serves.
import type { FastifyRequest } from 'fastify';
import type { Collection, CollectionAddress } from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import { didYouMean, quoteName } from '../../lib/nearest-name.ts';

/** Names that a message lists. */
const MAX_LISTED = 10;

/** The names that there are, or the nearest one. */
function hint(name: string, names: ReadonlySet<string>): string {
  const meant = didYouMean(name, names);
  if (meant !== '' || names.size === 0) return meant;
  const listed = [...names].slice(0, MAX_LISTED).map(quoteName).join(', ');
  return names.size > MAX_LISTED ? `; there are ${listed} and others` : `; there is ${listed}`;
}

function describeMissing(
  { version, database, name }: CollectionAddress,
  collections: readonly Collection[],
): string {
  const ofVersion = collections.filter((collection) => collection.version === version);
  if (ofVersion.length === 0) {
    const versions = new Set(collections.map((collection) => collection.version));
    return `There is no version ${quoteName(version)}${hint(version, versions)}`;
  }
  const ofDatabase = ofVersion.filter((collection) => collection.database === database);
  if (ofDatabase.length === 0) {
    const databases = new Set(ofVersion.map((collection) => collection.database));
    return `There is no database ${quoteName(database)} in version ${quoteName(version)}${hint(database, databases)}`;
  }
  const names = new Set(ofDatabase.map((collection) => collection.name));
  return `There is no collection ${quoteName(name)} in ${quoteName(`${version}/${database}`)}${hint(name, names)}`;
}

/** NOT_FOUND for the path of a collection that is not among those that there are. */
export function missingCollectionError(
  { client }: Pick<FastifyRequest, 'client'>,
  address: CollectionAddress,
  collections: () => readonly Collection[],
): AppError {
  if (client?.accessType !== 'admin') return new AppError('NOT_FOUND');
  return new AppError('NOT_FOUND', { message: describeMissing(address, collections()) });
}
