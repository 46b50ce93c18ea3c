// Which fields of a namespace hold ids, by the specification files of a site.
import { type Namespace, namespaceKey } from '../../stores/ports.ts';
import { type Collection, createCollectionRegistry } from '../model/collection.ts';
import { revisionNamespaceOf } from '../model/stored-document.ts';
import { checkSpecificationFiles } from './check-files.ts';

/** What the server itself writes: ids of revisions, and of the document of one. */
const ALWAYS: readonly string[] = ['history', 'originalDocumentId'];

const ID_TYPES: ReadonlySet<string> = new Set(['Reference', 'ObjectID']);

const idFieldsOf = ({ fields }: Collection) =>
  [...fields].filter(([, { type }]) => ID_TYPES.has(type)).map(([name]) => name);

interface IdFieldsOptions {
  /** The folder of the collection specifications. */
  readonly root: string;
  readonly enableCollectionDatabases: boolean;
}

/** Reads the specification files. Those with errors count as absent. */
export async function readIdFields(
  options: IdFieldsOptions,
): Promise<(ns: Namespace) => ReadonlySet<string>> {
  const registry = createCollectionRegistry();
  await checkSpecificationFiles({ ...options, registry });
  const byNamespace = new Map<string, Set<string>>();
  for (const collection of registry.list()) {
    for (const ns of [collection.namespace, revisionNamespaceOf(collection)]) {
      const known = byNamespace.get(namespaceKey(ns)) ?? new Set(ALWAYS);
      for (const name of idFieldsOf(collection)) known.add(name);
      byNamespace.set(namespaceKey(ns), known);
    }
  }
  const others = new Set(ALWAYS);
  return (ns) => byNamespace.get(namespaceKey(ns)) ?? others;
}
