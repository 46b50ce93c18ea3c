// Exports a site as lines of JSON, one document each, sorted by namespace and id, so that equal data give equal bytes.
import { MATCH_ALL } from '../stores/filter.ts';
import type { DocumentStore, ListedNamespace, Namespace } from '../stores/ports.ts';
import { readDocumentPages } from './document-pages.ts';
import { compareNamespaces, findNamespaceIssue, formatNamespace } from './namespaces.ts';

interface ExportOptions {
  readonly store: Pick<DocumentStore, 'collections' | 'count' | 'find' | 'findText'>;
  /** Each database folder has its own namespaces. */
  readonly separateDatabases: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface PlannedNamespace {
  readonly ns: Namespace;
  readonly documents: number;
}

interface ExportPlan {
  readonly namespaces: readonly PlannedNamespace[];
  readonly documents: number;
  /** Messages for the operator: what else is in the database, and why it is not exported. */
  readonly notices: readonly string[];
}

interface Chunk {
  /** Whole lines. */
  readonly text: string;
  readonly documents: number;
}

export interface Exporter {
  /** Lists what to export. Rejects as the store does. */
  plan(): Promise<ExportPlan>;
  /** Yields the lines in chunks; `notice` gets messages about documents that are left out. Rejects as the store does. */
  chunks(plan: ExportPlan, notice: (text: string) => void): AsyncGenerator<Chunk>;
}

/** Time limit for counting one namespace, in milliseconds. */
const COUNT_TIMEOUT_MS = 120_000;

/** The server's own namespaces, which are left out without a notice. */
const isReserved = ({ collection }: Namespace) => /^(cloister|system)\./i.test(collection);

function lineStart({ database, collection }: Namespace): string {
  return `${JSON.stringify({ database, collection }).slice(0, -1)},"document":`;
}

/** Creates the exporter of a store. */
export function createExporter({ store, separateDatabases, now }: ExportOptions): Exporter {
  const count = (ns: Namespace) => store.count(ns, MATCH_ALL, { deadline: now() + COUNT_TIMEOUT_MS });

  async function* chunksOf({ ns, documents }: PlannedNamespace, notice: (text: string) => void) {
    const start = lineStart(ns);
    let done = 0;
    const onUnreadable = (id: unknown) => {
      done += 1;
      notice(`${formatNamespace(ns)}: the document ${id} is left out: it is too large to be read`);
    };
    for await (const texts of readDocumentPages(ns, { store, now, onUnreadable })) {
      yield { text: texts.map((text) => `${start}${text}}\n`).join(''), documents: texts.length };
      done += texts.length;
    }
    if (done >= documents) return;
    // Documents that others removed meanwhile are not missing.
    const missing = Math.min(documents, await count(ns)) - done;
    if (missing > 0) notice(`${formatNamespace(ns)}: ${missing} of its documents were missed`);
  }

  return {
    async plan() {
      const all = (await store.collections()).toSorted(compareNamespaces);
      const issueOf = (ns: ListedNamespace) => ns.readOnly ?? findNamespaceIssue(ns, separateDatabases);
      const notices = all.flatMap((ns) => {
        const issue = isReserved(ns) ? undefined : issueOf(ns);
        return issue === undefined ? [] : [`${formatNamespace(ns)} is left out: ${issue}`];
      });
      const spaces: PlannedNamespace[] = [];
      for (const ns of all) {
        if (issueOf(ns) === undefined) spaces.push({ ns, documents: await count(ns) });
      }
      const documents = spaces.reduce((sum, space) => sum + space.documents, 0);
      return { namespaces: spaces, documents, notices };
    },
    async *chunks({ namespaces: spaces }, notice) {
      for (const space of spaces) yield* chunksOf(space, notice);
    },
  };
}
