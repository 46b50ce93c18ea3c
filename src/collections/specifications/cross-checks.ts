// Checks a specification against the others. Errors: its name, default filters, revision collection. Warnings: everything else.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { type DocumentStore, namespaceKey } from '../../stores/ports.ts';
import { type FilterLimits, parseFilter } from '../filters/parse.ts';
import {
  type Collection,
  type CollectionRegistry,
  referenceFields,
  referenceTarget,
} from '../model/collection.ts';
import { activeRevisionNamespace } from '../model/stored-document.ts';
import { checkRevisionHome, checkRevisionUse } from './revision-checks.ts';

export interface ConflictCheckDeps {
  readonly registry: CollectionRegistry;
  readonly store: Pick<DocumentStore, 'find'>;
  readonly filterLimits: FilterLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of one database operation, in milliseconds. */
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
  const { collection: stored, database: space } = collection.namespace;
  for (const other of others) {
    const theirs = other.namespace;
    if (theirs.database === space && differsByCase(theirs.collection, stored) && stored !== name)
      return clash('model', theirs.collection);
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
  registry: Pick<CollectionRegistry, 'get'>,
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

/** Throws SPECIFICATION_INVALID where a collection conflicts with one that is live. */
export async function assertNoConflicts(collection: Collection, deps: ConflictCheckDeps): Promise<void> {
  const { registry, filterLimits } = deps;
  const others = registry.list().filter(({ path }) => path !== collection.path);
  const caseIssue = checkNameCase(collection, others);
  const shared = checkRevisionUse(collection, others);
  const items = [
    ...(caseIssue === undefined ? [] : [caseIssue]),
    // A reference may point at the collection that is just being posted.
    ...checkDefaultFilters(collection, registry.replacing(collection.path, collection), filterLimits),
    ...(shared.length > 0 ? shared : await checkRevisionHome(collection, registry.list(), deps)),
  ];
  if (items.length > 0) throw new AppError('SPECIFICATION_INVALID', { items });
}

export interface CrossCheckWarning {
  readonly path: readonly string[];
  readonly message: string;
}

function warnDanglingReferences(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  return referenceFields(collection)
    .filter((field) => !referenceTarget(registry, collection, field))
    .map((field) => ({
      path: ['fields', field.name, 'settings', 'collection'],
      message: `\`${field.name}\` refers to a collection that does not exist in version ${collection.version}`,
    }));
}

function warnSharedDocuments(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  const { namespace, name, database: own } = collection;
  return registry.withNamespace(namespace).flatMap(({ path, name: other, database }) => {
    if (other !== name)
      return [
        {
          path: ['model'],
          message: `shares its documents with ${path}: both are stored as \`${namespace.collection}\``,
        },
      ];
    const why = 'as `database.enableCollectionDatabases` is off';
    return database === own ? [] : [{ path: [], message: `shares its documents with ${path}, ${why}` }];
  });
}

function warnSharedRecords(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  if (collection.settings.media) return [];
  const media = registry.withNamespace(collection.namespace).filter(({ settings }) => settings.media);
  return media.map(({ path }) => ({
    path: ['settings', 'type'],
    message: `shares its documents with the media collection ${path}, so that only uploads there create any`,
  }));
}

function warnReadOnlyByRevisions(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  const { storeRevisions, revisionCollection } = collection.settings;
  if (!storeRevisions) return [];
  const homes = registry.withNamespace({ ...collection.namespace, collection: revisionCollection });
  return homes.map(({ path }) => ({
    path: ['settings', 'revisionCollection'],
    message: `keeps its revisions where ${path} is, which therefore can only be read`,
  }));
}

/** Other versions have the same documents, but each specification says where it keeps the revisions that its own writes make. */
function warnSplitHistories(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  const homeOf = (one: Collection) => {
    const home = activeRevisionNamespace(one);
    return home && namespaceKey(home);
  };
  const own = homeOf(collection);
  if (own === undefined) return [];
  const elsewhere = registry.withNamespace(collection.namespace).filter((one) => homeOf(one) !== own);
  return elsewhere.map((one) => ({
    path: ['settings', 'revisionCollection'],
    message: `has its documents in common with ${one.path}, which keeps ${homeOf(one) === undefined ? 'no revisions' : 'revisions elsewhere'}: histories lack what is written there`,
  }));
}

/** Other versions have the same documents, but each specification says who may read them: what one keeps back, another may show. */
function warnUnequalAccess(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  const others = registry.withNamespace(collection.namespace).filter(({ path }) => path !== collection.path);
  return others.flatMap((other) => {
    if (other.settings.access !== null && collection.settings.access === null) {
      const message = `shows the documents of ${other.path}, which has access rules, without any`;
      return [{ path: ['settings', 'access'], message }];
    }
    if (collection.settings.access !== null && other.settings.access === null) {
      const message = `has access rules, but ${other.path} shows the same documents without any`;
      return [{ path: ['settings', 'access'], message }];
    }
    return warnShownFields(collection, other);
  });
}

function warnShownFields(shown: Collection, hiding: Collection): readonly CrossCheckWarning[] {
  const isHiding = ({ fields }: Collection, name: string) => fields.get(name)?.access?.read !== undefined;
  return [...hiding.fields.keys()]
    .filter((name) => isHiding(hiding, name) && !isHiding(shown, name))
    .map((name) => ({
      path: ['fields', name],
      message: `\`${name}\` is hidden from nobody here; ${hiding.path}, which has the same documents, says who may read it`,
    }));
}

/** Warnings about hooks that do not exist. `known` are the names of all hooks; undefined: they are not known, so no warning. */
export function warnMissingHooks(
  { settings }: Collection,
  known: Pick<ReadonlySet<string>, 'has'> | undefined,
): readonly CrossCheckWarning[] {
  if (known === undefined) return [];
  return Object.entries(settings.hooks ?? {}).flatMap(([event, uses]) =>
    uses
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => ({
        path: ['settings', 'hooks', event],
        message: `${event}: there is no hook \`${name}\``,
      })),
  );
}

/** Warnings about a collection of `registry`, each with the part of its specification that it is about. */
export function crossCheck(
  collection: Collection,
  registry: CollectionRegistry,
): readonly CrossCheckWarning[] {
  return [
    ...warnDanglingReferences(collection, registry),
    ...warnSharedDocuments(collection, registry),
    ...warnSharedRecords(collection, registry),
    ...warnReadOnlyByRevisions(collection, registry),
    ...warnSplitHistories(collection, registry),
    ...warnUnequalAccess(collection, registry),
  ];
}
