// Exports a site as lines of JSON, one document each, sorted by namespace and id, so that equal data give equal bytes. Reads
// page by page, in constant memory.
import { StoreError } from '../errors/errors.ts';
import { parseStoredJson } from '../lib/json/stored-json.ts';
import { type Filter, MATCH_ALL } from '../stores/filter.ts';
import type {
  Direction,
  DocumentStore,
  FindQuery,
  ListedNamespace,
  Namespace,
  Sort,
} from '../stores/ports.ts';
import { compareNamespaces, findNamespaceIssue, formatNamespace, isServerNamespace } from './namespaces.ts';

interface PageOptions {
  readonly store: Pick<DocumentStore, 'find' | 'findText'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called with the id of each document that is too large to be read. No page contains it. */
  readonly onUnreadable: (id: unknown) => void;
}

interface ReadResult {
  readonly texts: readonly string[];
  readonly isLast: boolean;
  /** The one document of a page that cannot be read. */
  readonly unreadable?: { readonly id: unknown };
}

type ReadPage = (query: Pick<FindQuery, 'filter' | 'skip'>) => Promise<ReadResult>;

/** Time limit of one page, in milliseconds: only the operator waits for it. */
const PAGE_TIMEOUT_MS = 120_000;
/** Target size of a page in UTF-16 units, and its maximum of documents. */
const PAGE_TEXT = 2_000_000;
const MAX_PAGE_SIZE = 1000;
const FIRST_PAGE_SIZE = 100;

const GENERATED_ID = /^[0-9a-f]{24}$/;

/** Adapts the number of documents of a page to the size of those before. */
function createPageReader(ns: Namespace, { store, now, onUnreadable }: PageOptions): ReadPage {
  let limit = FIRST_PAGE_SIZE;
  return async ({ filter, skip }) => {
    for (;;) {
      try {
        const query = { filter, sort: [], skip, limit };
        const texts = await store.findText(ns, query, { deadline: now() + PAGE_TIMEOUT_MS });
        const isLast = texts.length < limit;
        const units = texts.reduce((sum, text) => sum + text.length, 0);
        limit = Math.min(
          MAX_PAGE_SIZE,
          Math.max(1, Math.floor((PAGE_TEXT * texts.length) / Math.max(1, units))),
        );
        return { texts, isLast };
      } catch (error) {
        if (!(error instanceof StoreError && error.reason === 'too-much')) throw error;
        if (limit === 1) return unreadablePage(ns, { filter, skip }, { store, now, onUnreadable });
        limit = Math.ceil(limit / 4);
      }
    }
  };
}

/** Reads the id of a single document that is too large. */
async function unreadablePage(
  ns: Namespace,
  query: Pick<FindQuery, 'filter' | 'skip'>,
  { store, now, onUnreadable }: PageOptions,
): Promise<ReadResult> {
  const bounds = { sort: [], limit: 1, projection: { include: ['_id'] } };
  const [document] = await store.find(ns, { ...query, ...bounds }, { deadline: now() + PAGE_TIMEOUT_MS });
  if (document === undefined) return { texts: [], isLast: true };
  const { _id: id } = document;
  onUnreadable(id);
  return { texts: [], isLast: false, unreadable: { id } };
}

/** True if the first document in this direction has a generated id and is found by it. */
async function endsInGeneratedId(
  ns: Namespace,
  direction: Direction,
  { store, now }: PageOptions,
): Promise<boolean> {
  const first = async (filter: Filter): Promise<unknown> => {
    const sort: Sort = [['_id', direction]];
    const query: FindQuery = { filter, sort, skip: 0, limit: 1, projection: { include: ['_id'] } };
    return (await store.find(ns, query, { deadline: now() + PAGE_TIMEOUT_MS }))[0]?._id;
  };
  const value = await first(MATCH_ALL);
  if (typeof value !== 'string' || !GENERATED_ID.test(value)) return false;
  // An id of another type may have the same text, but sorts elsewhere.
  return (await first({ kind: 'field', path: '_id', tests: [{ kind: 'eq', value }] })) === value;
}

/** Ids sort by type: with generated ids at both ends there are no others in between. */
async function hasGeneratedIds(ns: Namespace, options: PageOptions): Promise<boolean> {
  const ends = await Promise.all([endsInGeneratedId(ns, 1, options), endsInGeneratedId(ns, -1, options)]);
  return ends.every((isGenerated) => isGenerated);
}

async function* pagesByIdRange(read: ReadPage): AsyncGenerator<readonly string[]> {
  let filter: Filter = MATCH_ALL;
  for (;;) {
    const { texts, isLast, unreadable } = await read({ filter, skip: 0 });
    const last = texts.at(-1);
    if (last === undefined && unreadable === undefined) return;
    if (last !== undefined) yield texts;
    if (isLast) return;
    const value =
      last === undefined ? String(unreadable?.id) : parseStoredJson<{ readonly _id: string }>(last)._id;
    filter = { kind: 'field', path: '_id', tests: [{ kind: 'gt', value }] };
  }
}

async function* pagesByOffset(read: ReadPage): AsyncGenerator<readonly string[]> {
  for (let skip = 0; ; ) {
    const { texts, isLast, unreadable } = await read({ filter: MATCH_ALL, skip });
    if (texts.length > 0) yield texts;
    if (isLast) return;
    skip += unreadable === undefined ? texts.length : 1;
  }
}

/**
 * Yields the texts of all documents in the order of their ids. With generated ids, each page is the range after the last id of
 * the previous one: it costs what its documents cost, and concurrent inserts and removals shift no others. A database that other
 * programs have written may hold ids of several types, which no single comparison covers. Then pages are read by offset, which
 * skips over earlier documents and misses some if documents are removed meanwhile. Rejects as the store does.
 */
export async function* readDocumentPages(
  ns: Namespace,
  options: PageOptions,
): AsyncGenerator<readonly string[]> {
  const read = createPageReader(ns, options);
  yield* (await hasGeneratedIds(ns, options)) ? pagesByIdRange(read) : pagesByOffset(read);
}

interface ExportOptions {
  readonly store: Pick<DocumentStore, 'collections' | 'count' | 'find' | 'findText'>;
  /** Each database folder has its own namespaces. */
  readonly separateDatabases: boolean;
  /** Whether the server's own documents are exported too: for a backup. */
  readonly withServerData?: boolean;
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

/** What the line of a document of this namespace begins with; the document and `}` follow. */
export function lineStart({ database, collection }: Namespace): string {
  return `${JSON.stringify({ database, collection }).slice(0, -1)},"document":`;
}

/** Creates the exporter of a store. */
export function createExporter({
  store,
  separateDatabases,
  withServerData = false,
  now,
}: ExportOptions): Exporter {
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
      const issueOf = (ns: ListedNamespace) => {
        if (withServerData && isServerNamespace(ns)) return undefined;
        return ns.readOnly ?? findNamespaceIssue(ns, separateDatabases);
      };
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
