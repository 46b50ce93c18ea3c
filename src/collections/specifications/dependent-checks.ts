// What a change of one specification does to the others: default filters that go through a reference depend on the fields of the
// collection behind it.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import type { FilterLimits } from '../filters/parse.ts';
import {
  type Collection,
  type CollectionRegistry,
  referenceFields,
  referenceTarget,
} from '../model/collection.ts';
import { checkDefaultFilters } from './cross-checks.ts';

/** The collections before and after a change of the one at `path`. */
interface RegistryChange {
  readonly path: string;
  readonly before: Pick<CollectionRegistry, 'get' | 'list'>;
  readonly after: Pick<CollectionRegistry, 'get'>;
}

/** The change that puts a collection at a path, or removes the one that is there. */
export function createRegistryChange(
  path: string,
  collection: Collection | undefined,
  registry: Pick<CollectionRegistry, 'get' | 'list' | 'replacing'>,
): RegistryChange {
  return { path, before: registry, after: registry.replacing(path, collection) };
}

/** Something that a change does to another collection. */
export interface Consequence {
  /** The path of the other collection. */
  readonly field: string;
  readonly message: string;
}

const others = ({ path, before }: RegistryChange) =>
  before.list().filter((collection) => collection.path !== path);

/** What the change breaks: default filters that were valid until then. */
export function findBroken(change: RegistryChange, limits: FilterLimits): readonly Consequence[] {
  const { before, after } = change;
  return others(change).flatMap((other) => {
    const items = checkDefaultFilters(other, after, limits);
    if (items.length === 0 || checkDefaultFilters(other, before, limits).length > 0) return [];
    const why = items.map(({ message }) => message).join('; ');
    return [{ field: other.path, message: `\`defaultFilters\` of ${other.path} would be broken: ${why}` }];
  });
}

/** References that lead nowhere after the change: their ids stay ids. */
export function findDangling(change: RegistryChange): readonly Consequence[] {
  const { before, after } = change;
  const lost = (other: Collection) =>
    referenceFields(other).filter(
      (field) =>
        referenceTarget(before, other, field) !== undefined &&
        referenceTarget(after, other, field) === undefined,
    );
  return others(change).flatMap((other) =>
    lost(other).map(({ name }) => ({
      field: other.path,
      message: `\`${name}\` of ${other.path} refers to a collection that does not exist any more`,
    })),
  );
}

/** What takes the place of a collection without its specification: the default bucket of media, without its rules. */
export function warnOfImplied(
  { path, version, database, name }: Collection,
  registry: Pick<CollectionRegistry, 'replacing'>,
): readonly string[] {
  const heir = registry.replacing(path, undefined).get(version, database, name);
  if (heir === undefined) return [];
  return [
    `${path} stays, as the default bucket of media, because others refer to it: every client may read and write it`,
  ];
}

/** Throws SPECIFICATION_NEEDED where a change breaks other specifications. */
export function assertNothingBroken(broken: readonly Consequence[]): void {
  if (broken.length === 0) return;
  const items: readonly ErrorItem[] = broken.map(({ field, message }) => ({
    field,
    code: 'SPECIFICATION_NEEDED',
    message: `${message}. With \`?force=true\` the change is made, and reads of ${field} are 503 until its specification is mended`,
  }));
  throw new AppError('SPECIFICATION_NEEDED', { items });
}
