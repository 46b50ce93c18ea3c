// Completes the `history` of documents: they store the first and the latest ids of their revisions only.
import { type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json } from '../../lib/json/json.ts';
import {
  documentVersion,
  findMember,
  memberName,
  parseStoredJson,
  readDocumentId,
} from '../../lib/json/stored-json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type PermittedStore, permitServer } from '../model/access.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import { ownRevisionsFilter } from '../model/revision-owner.ts';
import {
  HISTORY_BLOCK_SIZE,
  revisionBlock,
  revisionNamespaceOf,
  revisionsFilter,
} from '../model/stored-document.ts';

/** Ids that one response adds to those that its documents store. */
const MAX_ADDED_IDS = 100_000;
const ID_SEPARATOR = '","';
/** Of an id in a list, with its quotes and a comma. */
const ID_CHARACTERS = 27;
/** The text of a shorter document cannot hold more than a block of ids. */
const MIN_LONG_DOCUMENT_CHARACTERS = HISTORY_BLOCK_SIZE * ID_CHARACTERS;
/** Revisions that are fetched at once because they may have the next blocks; a document of some updates has few. */
const PREFETCHED_REVISIONS = [0, 8, 32, 128, 512];

const HISTORY_NAME = memberName('history');

export interface HistoryLoader {
  /**
   * The same documents, each as JSON text, with the ids in between in their `history`. Documents without their `_id`
   * stay as they are, and so do all once the answer has `MAX_ADDED_IDS` more ids.
   */
  completeHistories(
    collection: Collection,
    documents: readonly string[],
    context: Pick<RequestContext, 'deadline'>,
  ): MaybePromise<readonly string[]>;
}

interface HistoryChain {
  readonly collection: Collection;
  readonly id: string;
  readonly ids: readonly Json[];
  readonly deadline: number;
}

export function createHistoryLoader({
  store,
  registry,
}: {
  readonly store: Pick<PermittedStore, 'find'>;
  readonly registry: Pick<CollectionRegistry, 'list'>;
}): HistoryLoader {
  const find = (wanted: Filter, limit: number, { collection, deadline }: HistoryChain) => {
    const filter = permitServer({
      kind: 'and',
      filters: [wanted, ownRevisionsFilter(collection, registry)],
    });
    const query = { filter, sort: [], skip: 0, limit, projection: { include: ['history', 'v'] } };
    return store.find(revisionNamespaceOf(collection), query, { deadline });
  };

  /** Makes the function that finds the revision of an id, and with it some that may have the blocks before. */
  const finderOf = (chain: HistoryChain) => {
    let known = new Map<Json, StoredDocument>();
    let round = 0;
    return async (id: Json): Promise<StoredDocument | undefined> => {
      const fetched = known.get(id);
      if (fetched !== undefined) return fetched;
      const [holder] = await find(whereIn('_id', [id]), 1, chain);
      if (holder === undefined || revisionBlock(holder, chain.ids[0]) === undefined) return undefined;
      const states = versionsBefore(
        holder,
        PREFETCHED_REVISIONS[Math.min(round, PREFETCHED_REVISIONS.length - 1)] ?? 0,
      );
      round += 1;
      if (states.length === 0) return holder;
      const filter: Filter = { kind: 'and', filters: [revisionsFilter(chain.id), whereIn('v', states)] };
      known = new Map((await find(filter, 2 * states.length, chain)).map((one) => [one._id, one]));
      return holder;
    };
  };

  /** The ids between the first and the latest ones, as many blocks of them as there is room for. */
  const between = async (chain: HistoryChain, maxIds: number): Promise<readonly Json[]> => {
    const finder = finderOf(chain);
    const blocks: (readonly Json[])[] = [];
    let next = chain.ids[HISTORY_BLOCK_SIZE];
    let before = Number.POSITIVE_INFINITY;
    for (let left = maxIds; left > 0 && next !== undefined; ) {
      const holder = await finder(next);
      const block = holder && revisionBlock(holder, chain.ids[0]);
      // Data that others wrote may lead around in a circle.
      if (holder === undefined || block === undefined || documentVersion(holder) >= before) break;
      before = documentVersion(holder);
      blocks.push(block);
      left -= block.length;
      next = block[0];
    }
    return blocks.reverse().flat();
  };

  const completeLong = async (
    collection: Collection,
    documents: readonly string[],
    { deadline }: Pick<RequestContext, 'deadline'>,
  ): Promise<readonly string[]> => {
    const spots = await mapYielding(documents, findLongHistory);
    const results = [...documents];
    let maxIds = MAX_ADDED_IDS;
    for (const [at, text] of documents.entries()) {
      const spot = maxIds > 0 ? spots[at] : undefined;
      if (spot === undefined) continue;
      const { id, ids, start, end } = spot;
      const more = await between({ collection, id, ids, deadline }, maxIds);
      maxIds -= more.length;
      const whole = [...ids.slice(0, HISTORY_BLOCK_SIZE), ...more, ...ids.slice(HISTORY_BLOCK_SIZE)];
      if (more.length > 0) results[at] = text.slice(0, start) + JSON.stringify(whole) + text.slice(end);
    }
    return results;
  };

  return {
    completeHistories: (collection, documents, context) =>
      documents.some(mayHaveLongHistory) ? completeLong(collection, documents, context) : documents,
  };
}

/** False for a text in which no document has a `history` that `completeHistories` would complete. */
export function mayHaveLongHistory(text: string): boolean {
  return text.length >= MIN_LONG_DOCUMENT_CHARACTERS && holdsManyIds(text) && text.includes('"history":["');
}

/** False for a text without a list of more than a block of ids. It looks at one place in as many characters as a block has. */
function holdsManyIds(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(ID_SEPARATOR, at);
    if (end === -1) return false;
    if (text.startsWith(ID_SEPARATOR, end + ID_CHARACTERS)) return true;
    at = end + MIN_LONG_DOCUMENT_CHARACTERS - 3 * ID_CHARACTERS;
  }
  return false;
}

/** The `history` of a document that may have more ids than it holds; undefined for any other. */
function findLongHistory(text: string) {
  if (!mayHaveLongHistory(text)) return undefined;
  const span = findMember(text, HISTORY_NAME);
  if (span === undefined || span.end - span.start < MIN_LONG_DOCUMENT_CHARACTERS) return undefined;
  const ids = parseStoredJson<Json>(text.slice(span.start, span.end));
  const id = Array.isArray(ids) && ids.length > HISTORY_BLOCK_SIZE ? readDocumentId(text) : undefined;
  return id === undefined ? undefined : { id, ids: ids as readonly Json[], ...span };
}

const whereIn = (path: string, values: readonly Json[]): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'in', values: [...values] }],
});

/** The `count` states before that of a revision in which the revisions have blocks. */
function versionsBefore({ v }: StoredDocument, count: number): readonly number[] {
  const blocks = typeof v === 'number' ? Math.ceil(v / HISTORY_BLOCK_SIZE) - 1 : 0;
  return Array.from(
    { length: Math.min(count, Math.max(0, blocks)) },
    (_, at) => (blocks - at) * HISTORY_BLOCK_SIZE,
  );
}
