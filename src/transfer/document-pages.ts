// Every document of a name space, page by page, in memory that does not grow with their number.
import { StoreError } from '../errors.ts';
import { parseStoredJson } from '../lib/json/stored-json.ts';
import { type Filter, MATCH_ALL } from '../stores/filter.ts';
import type { Direction, DocumentStore, FindQuery, Namespace, Sort } from '../stores/ports.ts';

interface PageOptions {
  readonly store: Pick<DocumentStore, 'find' | 'findText'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears of each document that is too large to be read, which no page has. */
  readonly onUnreadable: (id: unknown) => void;
}

interface ReadResult {
  readonly texts: readonly string[];
  readonly isLast: boolean;
  /** The one document of a page that cannot be read. */
  readonly unreadable?: { readonly id: unknown };
}

type ReadPage = (query: Pick<FindQuery, 'filter' | 'skip'>) => Promise<ReadResult>;

/** Milliseconds that one page may take: nobody waits for it but the operator. */
const PAGE_MS = 120_000;
/** UTF-16 units that a page should have, and how many documents it has at most. */
const PAGE_TEXT = 2_000_000;
const MOST = 1000;
const FIRST = 100;

const OWN_ID = /^[0-9a-f]{24}$/;

/** Pages as large as memory likes: their number of documents goes by the size of those before. */
function createPageReader(ns: Namespace, { store, now, onUnreadable }: PageOptions): ReadPage {
  let limit = FIRST;
  return async ({ filter, skip }) => {
    for (;;) {
      try {
        const query = { filter, sort: [], skip, limit };
        const texts = await store.findText(ns, query, { deadline: now() + PAGE_MS });
        const isLast = texts.length < limit;
        const units = texts.reduce((sum, text) => sum + text.length, 0);
        limit = Math.min(MOST, Math.max(1, Math.floor((PAGE_TEXT * texts.length) / Math.max(1, units))));
        return { texts, isLast };
      } catch (error) {
        if (!(error instanceof StoreError && error.reason === 'too-much')) throw error;
        if (limit === 1) return unreadablePage(ns, { filter, skip }, { store, now, onUnreadable });
        limit = Math.ceil(limit / 4);
      }
    }
  };
}

/** A page of one document that is too large, by its id. */
async function unreadablePage(
  ns: Namespace,
  query: Pick<FindQuery, 'filter' | 'skip'>,
  { store, now, onUnreadable }: PageOptions,
): Promise<ReadResult> {
  const bounds = { sort: [], limit: 1, projection: { include: ['_id'] } };
  const [document] = await store.find(ns, { ...query, ...bounds }, { deadline: now() + PAGE_MS });
  if (document === undefined) return { texts: [], isLast: true };
  const { _id: id } = document;
  onUnreadable(id);
  return { texts: [], isLast: false, unreadable: { id } };
}

/** True when the first document in this direction has an id of ours, and is found by it. */
async function endsInOwnId(
  ns: Namespace,
  direction: Direction,
  { store, now }: PageOptions,
): Promise<boolean> {
  const first = async (filter: Filter): Promise<unknown> => {
    const sort: Sort = [['_id', direction]];
    const query: FindQuery = { filter, sort, skip: 0, limit: 1, projection: { include: ['_id'] } };
    return (await store.find(ns, query, { deadline: now() + PAGE_MS }))[0]?._id;
  };
  const value = await first(MATCH_ALL);
  if (typeof value !== 'string' || !OWN_ID.test(value)) return false;
  // Another type may only look like it: it then stands elsewhere in the order.
  return (await first({ kind: 'field', path: '_id', tests: [{ kind: 'eq', value }] })) === value;
}

/** Types stand together in the order of ids: with ids of ours at both ends there are no others in between. */
async function hasOwnIds(ns: Namespace, options: PageOptions): Promise<boolean> {
  const ends = await Promise.all([endsInOwnId(ns, 1, options), endsInOwnId(ns, -1, options)]);
  return ends.every((own) => own);
}

async function* pagesBehindIds(read: ReadPage): AsyncGenerator<readonly string[]> {
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

async function* pagesByPosition(read: ReadPage): AsyncGenerator<readonly string[]> {
  for (let skip = 0; ; ) {
    const { texts, isLast, unreadable } = await read({ filter: MATCH_ALL, skip });
    if (texts.length > 0) yield texts;
    if (isLast) return;
    skip += unreadable === undefined ? texts.length : 1;
  }
}

/**
 * The texts of all documents in the order of their ids. Where the ids are ours, each page begins behind the last id of
 * the one before: its cost is that of its documents, and documents that come or go meanwhile move no others. A database
 * that others have written may hold ids that no one comparison covers (numbers, text, dates: each compares with its own
 * kind only). There pages are counted off, which reads over what is behind, and wants nobody to remove documents
 * meanwhile. Rejects as the store does.
 */
export async function* documentPages(ns: Namespace, options: PageOptions): AsyncGenerator<readonly string[]> {
  const read = createPageReader(ns, options);
  yield* (await hasOwnIds(ns, options)) ? pagesBehindIds(read) : pagesByPosition(read);
}
