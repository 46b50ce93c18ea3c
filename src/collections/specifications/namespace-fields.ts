// What an import must know of the fields of a namespace, by the specification files of a site: which hold ids, which dates.
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { type Namespace, namespaceKey } from '../../stores/ports.ts';
import type { WorkspaceFiles } from '../../stores/workspace-files.ts';
import type { Collection } from '../model/collection.ts';
import { createCollectionRegistry } from '../model/collection-registry.ts';
import { revisionNamespaceOf } from '../model/stored-document.ts';
import { checkSpecificationFiles } from './check-files.ts';

/** What the server itself writes: ids of revisions, and of the document of one. */
const ALWAYS: readonly string[] = ['history', 'originalDocumentId'];

const ID_TYPES: ReadonlySet<string> = new Set(['Reference', 'ObjectID']);
const DATE_TYPES: ReadonlySet<string> = new Set(['DateTime']);

const idFieldsOf = ({ fields }: Collection) =>
  [...fields].filter(([, { type }]) => ID_TYPES.has(type)).map(([name]) => name);

interface FieldsOptions {
  readonly workspace: WorkspaceFiles;
  /** The folder of the collection specifications. */
  readonly root: string;
  readonly enableCollectionDatabases: boolean;
}

/** What the specifications of a site say of its namespaces. */
export interface NamespaceFields {
  /** Fields that hold ids, what the server writes among them. */
  idFields(ns: Namespace): ReadonlySet<string>;
  /** Fields that hold dates as ISO 8601 text. */
  dateFields(ns: Namespace): ReadonlySet<string>;
  /** Fields that specifications of the older servers declare as `Media`. */
  mediaFields(ns: Namespace): ReadonlySet<string>;
  /** Whether its documents are records of files. */
  holdsRecords(ns: Namespace): boolean;
  /** The name of the collection with its revisions; undefined where no specification says. */
  revisionCollection(ns: Namespace): string | undefined;
}

const NONE: ReadonlySet<string> = new Set();

/** The field as the specification has it. */
const sourceOf = ({ source }: Collection, name: string): JsonObject => {
  const fields = source['fields'];
  const field = isJsonObject(fields) ? fields[name] : undefined;
  return isJsonObject(field) ? field : {};
};

/** Dates of a field with the format `unix` are no text. */
const dateFieldsOf = (collection: Collection) =>
  [...collection.fields]
    .filter(([name, { type }]) => DATE_TYPES.has(type) && sourceOf(collection, name)['format'] !== 'unix')
    .map(([name]) => name);

const mediaFieldsOf = (collection: Collection) =>
  [...collection.fields.keys()].filter((name) => sourceOf(collection, name)['type'] === 'Media');

/** Adds to the names that are known of a namespace. */
function addNames(known: Map<string, Set<string>>, ns: Namespace, names: readonly string[]): void {
  const key = namespaceKey(ns);
  known.set(key, new Set([...(known.get(key) ?? []), ...names]));
}

/** Reads the specification files. Those with errors count as absent. */
export async function readNamespaceFields(options: FieldsOptions): Promise<NamespaceFields> {
  const registry = createCollectionRegistry();
  await checkSpecificationFiles({ ...options, registry });
  const ids = new Map<string, Set<string>>();
  const dates = new Map<string, Set<string>>();
  const media = new Map<string, Set<string>>();
  const records = new Set<string>();
  const revisions = new Map<string, string>();
  for (const collection of registry.list()) {
    const { namespace, settings } = collection;
    for (const ns of [namespace, revisionNamespaceOf(collection)]) {
      addNames(ids, ns, [...ALWAYS, ...idFieldsOf(collection)]);
      addNames(dates, ns, dateFieldsOf(collection));
      addNames(media, ns, mediaFieldsOf(collection));
    }
    if (settings.media) records.add(namespaceKey(namespace));
    revisions.set(namespaceKey(namespace), settings.revisionCollection);
  }
  const others = new Set(ALWAYS);
  return {
    idFields: (ns) => ids.get(namespaceKey(ns)) ?? others,
    dateFields: (ns) => dates.get(namespaceKey(ns)) ?? NONE,
    mediaFields: (ns) => media.get(namespaceKey(ns)) ?? NONE,
    holdsRecords: (ns) => records.has(namespaceKey(ns)),
    revisionCollection: (ns) => revisions.get(namespaceKey(ns)),
  };
}
