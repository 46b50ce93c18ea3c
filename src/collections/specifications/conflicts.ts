// What may be wrong with a specification beside the others: its name, its revision collection, its default filters.
import { AppError, type ErrorItem } from '../../errors.ts';
import { namespaceKey } from '../../stores/namespace.ts';
import type { DocumentStore, Namespace } from '../../stores/ports.ts';
import type { FilterLimits } from '../filters/filter-quota.ts';
import { parseFilter } from '../filters/parse.ts';
import type { Collection } from '../model/collection.ts';
import { referenceTarget } from '../model/references.ts';
import type { Registry } from '../model/registry.ts';
import { activeRevisionNamespace } from './index-plan.ts';

export interface ConflictCheckDeps {
  readonly registry: Registry;
  readonly store: Pick<DocumentStore, 'find'>;
  readonly filterLimits: FilterLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const differsByCase = (a: string, b: string) => a !== b && a.toLowerCase() === b.toLowerCase();

/** Names that some file systems and databases cannot tell apart. */
export function checkNameCase(collection: Collection, others: readonly Collection[]): ErrorItem | undefined {
  const { version, database, name } = collection;
  const clash = (field: string, shown: string): ErrorItem => ({
    field,
    message: `differs only by case from \`${shown}\`, which exists`,
  });
  for (const other of others) {
    if (differsByCase(other.version, version)) return clash('version', other.version);
    if (differsByCase(other.database, database)) return clash('database', other.database);
    const sameFolder = other.version === version && other.database === database;
    if (sameFolder && differsByCase(other.name, name)) return clash('collection', other.name);
  }
  return undefined;
}

/** Default filters obey the rules of any filter. `registry` resolves the references that they go through. */
export function checkDefaultFilters(
  collection: Collection,
  registry: Pick<Registry, 'get'>,
  limits: FilterLimits,
): readonly ErrorItem[] {
  const { defaultFilters } = collection.settings;
  if (defaultFilters === null) return [];
  try {
    const target = (from: Collection, field: Parameters<typeof referenceTarget>[2]) =>
      referenceTarget(registry, from, field);
    parseFilter(defaultFilters, collection, { limits, resolveTarget: target });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ field, message }) => ({
      section: 'settings',
      setting: 'defaultFilters',
      field: 'defaultFilters',
      message: field === undefined ? message : `\`${field}\`: ${message}`,
    }));
  }
}

async function holdsDocuments(
  namespace: Namespace,
  { store, now, queryMs }: Pick<ConflictCheckDeps, 'store' | 'now' | 'queryMs'>,
): Promise<boolean> {
  const filter = {
    kind: 'field',
    path: 'originalDocumentId',
    tests: [{ kind: 'exists', value: false }],
  } as const;
  const query = { filter, sort: [], skip: 0, limit: 1 };
  const found = await store.find(namespace, query, { deadline: now() + queryMs });
  return found.length > 0;
}

async function checkRevisionCollection(
  collection: Collection,
  surroundings: ConflictCheckDeps,
): Promise<readonly ErrorItem[]> {
  const namespace = activeRevisionNamespace(collection);
  if (namespace === undefined) return [];
  const key = namespaceKey(namespace);
  const known = surroundings.registry.list().some((other) => {
    const theirs = activeRevisionNamespace(other);
    return theirs !== undefined && namespaceKey(theirs) === key;
  });
  if (known || !(await holdsDocuments(namespace, surroundings))) return [];
  const message = `\`${namespace.collection}\` holds documents of its own`;
  return [{ section: 'settings', setting: 'revisionCollection', field: 'revisionCollection', message }];
}

/** Throws SPECIFICATION_INVALID where a collection does not go with those that are live already. */
export async function assertNoConflicts(
  collection: Collection,
  surroundings: ConflictCheckDeps,
): Promise<void> {
  const { registry, filterLimits } = surroundings;
  const others = registry.list().filter(({ path }) => path !== collection.path);
  const badCase = checkNameCase(collection, others);
  const items = [
    ...(badCase === undefined ? [] : [badCase]),
    ...checkDefaultFilters(collection, withCollection(collection, registry), filterLimits),
    ...(await checkRevisionCollection(collection, surroundings)),
  ];
  if (items.length > 0) throw new AppError('SPECIFICATION_INVALID', { items });
}

// A reference may point at the collection that is just being posted.
function withCollection(collection: Collection, registry: Registry): Pick<Registry, 'get'> {
  const { version, database, name } = collection;
  return {
    get: (...address) =>
      address.join('/') === [version, database, name].join('/') ? collection : registry.get(...address),
  };
}
