// Checks how specifications use revision collections: each belongs to the documents of one, holds nothing but revisions, and has no
// unique index, which every second revision of a document would break.
import type { ErrorItem } from '../../errors/errors.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import { type DocumentStore, type Namespace, namespaceKey } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import { activeRevisionNamespace, REVISION_OWNER } from '../model/stored-document.ts';

const homeOf = ({ namespace }: Collection) => namespaceKey(namespace);

function revisionHomeOf(collection: Collection): string | undefined {
  const namespace = activeRevisionNamespace(collection);
  return namespace && namespaceKey(namespace);
}

function revisionItem(message: string): ErrorItem {
  return { section: 'settings', setting: 'revisionCollection', field: 'revisionCollection', message };
}

/** True for a specification whose documents cannot be revisions: it keeps revisions of its own, or takes files. */
const holdsDocumentsOnly = ({ settings }: Collection) => settings.storeRevisions || settings.media;

/** The issue of a specification whose revisions would be among those of `other`. */
function checkShared(collection: Collection, other: Collection): ErrorItem | undefined {
  const home = revisionHomeOf(collection);
  if (home === undefined || home !== revisionHomeOf(other) || homeOf(collection) === homeOf(other)) {
    return undefined;
  }
  const { revisionCollection } = collection.settings;
  return revisionItem(`\`${revisionCollection}\` keeps the revisions of ${other.path} already`);
}

/** The issue of two specifications of which one keeps its revisions where the documents of the other are. */
function checkMixed(collection: Collection, other: Collection): ErrorItem | undefined {
  if (revisionHomeOf(collection) === homeOf(other) && holdsDocumentsOnly(other)) {
    return revisionItem(`\`${other.name}\` is a collection of documents, ${other.path}`);
  }
  if (revisionHomeOf(other) === homeOf(collection) && holdsDocumentsOnly(collection)) {
    const setting = collection.settings.media ? 'type' : 'storeRevisions';
    const message = `cannot be set here: ${other.path} keeps its revisions in \`${collection.name}\``;
    return { section: 'settings', setting, field: setting, message };
  }
  return undefined;
}

/** The issue of a unique index on revisions. */
function checkUnique(collection: Collection, other: Collection): ErrorItem | undefined {
  const isUnique = ({ settings }: Collection) => settings.indexes.some(({ unique }) => unique);
  if (revisionHomeOf(other) === homeOf(collection) && isUnique(collection)) {
    const message = `cannot be unique: ${other.path} keeps its revisions in \`${collection.name}\``;
    return { section: 'settings', setting: 'index', field: 'index', message };
  }
  if (revisionHomeOf(collection) === homeOf(other) && isUnique(other)) {
    return revisionItem(`\`${other.name}\` has a unique index in the specification of ${other.path}`);
  }
  return undefined;
}

/** What is wrong between a specification and the others. */
export function checkRevisionUse(
  collection: Collection,
  others: readonly Collection[],
): readonly ErrorItem[] {
  return others.flatMap((other) => {
    const item =
      checkShared(collection, other) ?? checkMixed(collection, other) ?? checkUnique(collection, other);
    return item === undefined ? [] : [item];
  });
}

interface RevisionCheckDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of one database operation, in milliseconds. */
  readonly queryMs: number;
}

/**
 * What prevents a specification from keeping its revisions where it does: what is there already. `live` has the specification
 * itself too, as it is so far: where it keeps its revisions there already, nothing is checked.
 */
export async function checkRevisionHome(
  collection: Collection,
  live: readonly Collection[],
  deps: RevisionCheckDeps,
): Promise<readonly ErrorItem[]> {
  const namespace = activeRevisionNamespace(collection);
  if (namespace === undefined) return [];
  const home = namespaceKey(namespace);
  if (live.some((other) => revisionHomeOf(other) === home)) return [];
  const quoted = `\`${namespace.collection}\``;
  if (await holdsOther(namespace, collection.namespace.collection, deps)) {
    return [revisionItem(`${quoted} holds documents of its own, or revisions of another collection`)];
  }
  const specified = live.find((other) => homeOf(other) === home);
  if (specified === undefined || (await isFilled(namespace, deps))) return [];
  return [revisionItem(`${quoted} is a collection of documents, ${specified.path}`)];
}

/** True for a namespace with a document that is no revision, or one of another collection than `owner`. */
async function holdsOther(
  namespace: Namespace,
  owner: string,
  { store, now, queryMs }: RevisionCheckDeps,
): Promise<boolean> {
  const isDocument = {
    kind: 'field',
    path: 'originalDocumentId',
    tests: [{ kind: 'exists', value: false }],
  } as const;
  const isForeign = {
    kind: 'field',
    path: REVISION_OWNER,
    tests: [{ kind: 'nin', values: [owner, null] }],
  } as const;
  const filter = { kind: 'or', filters: [isDocument, isForeign] } as const;
  const query = { filter, sort: [], skip: 0, limit: 1 };
  return (await store.find(namespace, query, { deadline: now() + queryMs })).length > 0;
}

async function isFilled(namespace: Namespace, { store, now, queryMs }: RevisionCheckDeps): Promise<boolean> {
  const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: 1, projection: { include: [] } };
  return (await store.find(namespace, query, { deadline: now() + queryMs })).length > 0;
}
