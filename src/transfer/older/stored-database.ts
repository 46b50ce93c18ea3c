// A database that an older server left in MongoDB, read through the document store: nothing is written to it.
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import type { DocumentStore, Namespace } from '../../stores/ports.ts';
import { createExporter, readDocumentPages } from '../export.ts';
import { formatNamespace } from '../namespaces.ts';
import type { OlderDatabase } from './older-database.ts';

interface StoredDatabaseOptions {
  readonly store: Pick<DocumentStore, 'collections' | 'count' | 'find' | 'findText'>;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Time limit of a search by a member that no index may have, in milliseconds. */
const SEARCH_TIMEOUT_MS = 600_000;
/** Documents that are asked for at a time. */
const SEARCH_PAGE_SIZE = 20_000;

/** Lists the collections. Rejects as the store does. */
export async function openStoredDatabase({
  store,
  name,
  now,
}: StoredDatabaseOptions): Promise<OlderDatabase> {
  const { namespaces, notices } = await createExporter({ store, separateDatabases: false, now }).plan();
  const spaceOf = (collection: string): Namespace => ({ database: null, collection });
  return {
    name,
    notices,
    collections: namespaces.map(({ ns, documents }) => ({ name: ns.collection, documents })),
    async *pages(collection, notice) {
      const ns = spaceOf(collection);
      const onUnreadable = (id: unknown) =>
        notice(`${formatNamespace(ns)}: the document ${id} is left out: it is too large to be read`);
      for await (const texts of readDocumentPages(ns, { store, now, onUnreadable })) {
        yield texts.map((text) => parseStoredJson(text));
      }
    },
    async findByMember(collection, { member, values, include }) {
      const filter = { kind: 'field', path: member, tests: [{ kind: 'in', values }] } as const;
      const found = [];
      for (let skip = 0; ; skip += SEARCH_PAGE_SIZE) {
        const query = { filter, sort: [], skip, limit: SEARCH_PAGE_SIZE, projection: { include } };
        const page = await store.find(spaceOf(collection), query, { deadline: now() + SEARCH_TIMEOUT_MS });
        found.push(...page);
        if (page.length < SEARCH_PAGE_SIZE) return found;
      }
    },
  };
}
