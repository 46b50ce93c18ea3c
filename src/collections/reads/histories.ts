// Puts the ids of all revisions into the `history` of documents of which only the first and the latest are stored there.

import { versionOf } from '../../lib/document-version.ts';
import type { Json } from '../../lib/json.ts';
import { findMembers } from '../../lib/json-members.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { parseStored } from '../../lib/stored-json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context } from '../documents.ts';
import { BLOCK, blockOf } from '../history-blocks.ts';
import { revisionSpace, revisionsOf } from '../revision-space.ts';
import { idIn } from './compose-slots.ts';

/** Ids that one answer brings in beside those that its documents hold. */
const MAX_IDS = 100_000;
/** Text of a shorter document has no room for more than a block of ids. */
const SHORTEST = BLOCK * 27;
/** Revisions that are fetched at once because they may have the next blocks; a document of some updates has few. */
const AHEAD = [0, 8, 32, 128, 512];

const HISTORY = new Map([['"history"', 'history']]);

export interface Histories {
  /**
   * The same documents, each as JSON text, with the ids in between in their `history`. Documents without their `_id`
   * stay as they are, and so do all once the answer has `MAX_IDS` more ids.
   */
  complete(
    collection: Collection,
    documents: readonly string[],
    context: Pick<Context, 'deadline'>,
  ): Promise<readonly string[]>;
}

interface Chain {
  readonly collection: Collection;
  readonly id: string;
  readonly ids: readonly Json[];
  readonly deadline: number;
}

export function createHistories({ store }: { readonly store: Pick<DocumentStore, 'find'> }): Histories {
  const find = (filter: Filter, limit: number, { collection, deadline }: Chain) => {
    const query = { filter, sort: [], skip: 0, limit, projection: { include: ['history', 'v'] } };
    return store.find(revisionSpace(collection), query, { deadline });
  };

  /** Makes the function that finds the revision of an id, and with it some that may have the blocks before. */
  const finderOf = (chain: Chain) => {
    let known = new Map<Json, StoredDocument>();
    let round = 0;
    return async (id: Json): Promise<StoredDocument | undefined> => {
      const fetched = known.get(id);
      if (fetched !== undefined) return fetched;
      const [holder] = await find(oneOf('_id', [id]), 1, chain);
      if (holder === undefined || blockOf(holder, chain.ids[0]) === undefined) return undefined;
      const states = statesBefore(holder, AHEAD[Math.min(round, AHEAD.length - 1)] ?? 0);
      round += 1;
      if (states.length === 0) return holder;
      const filter: Filter = { kind: 'and', filters: [revisionsOf(chain.id), oneOf('v', states)] };
      known = new Map((await find(filter, 2 * states.length, chain)).map((one) => [one._id, one]));
      return holder;
    };
  };

  /** The ids between the first and the latest ones, as many blocks of them as there is room for. */
  const between = async (chain: Chain, room: number): Promise<readonly Json[]> => {
    const finder = finderOf(chain);
    const blocks: (readonly Json[])[] = [];
    let next = chain.ids[BLOCK];
    let before = Number.POSITIVE_INFINITY;
    for (let left = room; left > 0 && next !== undefined; ) {
      const holder = await finder(next);
      const block = holder && blockOf(holder, chain.ids[0]);
      // Data that others wrote may lead around in a circle.
      if (holder === undefined || block === undefined || versionOf(holder) >= before) break;
      before = versionOf(holder);
      blocks.push(block);
      left -= block.length;
      next = block[0];
    }
    return blocks.reverse().flat();
  };

  return {
    async complete(collection, documents, { deadline }) {
      if (documents.every(({ length }) => length < SHORTEST)) return documents;
      const spots = await mapInSlices(documents, longHistory);
      const results = [...documents];
      let room = MAX_IDS;
      for (const [at, text] of documents.entries()) {
        const spot = room > 0 ? spots[at] : undefined;
        if (spot === undefined) continue;
        const { id, ids, start, end } = spot;
        const more = await between({ collection, id, ids, deadline }, room);
        room -= more.length;
        const whole = [...ids.slice(0, BLOCK), ...more, ...ids.slice(BLOCK)];
        if (more.length > 0) results[at] = text.slice(0, start) + JSON.stringify(whole) + text.slice(end);
      }
      return results;
    },
  };
}

/** The `history` of a document that may have more ids than it holds; undefined for any other. */
function longHistory(text: string) {
  if (text.length < SHORTEST || !text.includes('"history":["')) return undefined;
  const span = findMembers(text, HISTORY).get('history');
  if (span === undefined || span.end - span.start < SHORTEST) return undefined;
  const ids = parseStored<Json>(text.slice(span.start, span.end));
  const id = Array.isArray(ids) && ids.length > BLOCK ? idIn(text) : undefined;
  return id === undefined ? undefined : { id, ids: ids as readonly Json[], ...span };
}

const oneOf = (path: string, values: readonly Json[]): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'in', values: [...values] }],
});

/** The `count` states before that of a revision in which the revisions have blocks. */
function statesBefore({ v }: StoredDocument, count: number): readonly number[] {
  const blocks = typeof v === 'number' ? Math.ceil(v / BLOCK) - 1 : 0;
  return Array.from({ length: Math.min(count, Math.max(0, blocks)) }, (_, at) => (blocks - at) * BLOCK);
}
