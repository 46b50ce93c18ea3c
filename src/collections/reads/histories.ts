// Puts the ids of all revisions into the `history` of documents of which only the first and the latest are stored there.

import type { Json } from '../../lib/json.ts';
import { findMembers } from '../../lib/json-members.ts';
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

  /** The ids between the first and the latest ones, as many blocks of them as there is room for. */
  const between = async (chain: Chain, room: number): Promise<readonly Json[]> => {
    const [first] = chain.ids;
    const known = new Map<Json, StoredDocument>();
    const blocks: (readonly Json[])[] = [];
    let next = chain.ids[BLOCK];
    let left = room;
    for (let rounds = 0; left > 0 && typeof next === 'string'; ) {
      let holder = known.get(next);
      if (holder === undefined) {
        [holder] = await find(oneOf('_id', [next]), 1, chain);
        const count = AHEAD[Math.min(rounds, AHEAD.length - 1)] ?? 0;
        rounds += 1;
        const states = holder && blockOf(holder, first) ? statesBefore(holder, count) : [];
        if (states.length > 0) {
          const filter: Filter = { kind: 'and', filters: [revisionsOf(chain.id), oneOf('v', states)] };
          known.clear();
          for (const one of await find(filter, 2 * states.length, chain)) known.set(one._id, one);
        }
      }
      const block = holder && blockOf(holder, first);
      if (block === undefined) break;
      blocks.push(block);
      left -= block.length;
      next = block[0];
    }
    return blocks.reverse().flat();
  };

  return {
    async complete(collection, documents, { deadline }) {
      let room = MAX_IDS;
      const results: string[] = [];
      for (const text of documents) {
        const spot = room > 0 ? longHistory(text) : undefined;
        if (spot === undefined) {
          results.push(text);
          continue;
        }
        const { id, ids, start, end } = spot;
        const more = await between({ collection, id, ids, deadline }, room);
        room -= more.length;
        const whole = [...ids.slice(0, BLOCK), ...more, ...ids.slice(BLOCK)];
        results.push(
          more.length === 0 ? text : text.slice(0, start) + JSON.stringify(whole) + text.slice(end),
        );
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
  const ids = JSON.parse(text.slice(span.start, span.end)) as Json;
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
