// Gathers the writes of one request, revisions included, into one atomic commit.

import { isDeepStrictEqual } from 'node:util';
import { AppError, StoreError } from '../../errors.ts';
import { versionOf } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import { historyOf, splitHistory } from '../history-blocks.ts';
import { hasHooks } from '../hook-session.ts';
import type { Happening } from '../hooks.ts';
import { documentKey } from '../registry.ts';
import { revisionSpace } from '../revision-space.ts';
import { sizeProblem } from './document-size.ts';
import { createdState, revisionOf, type Stamp, updatedState } from './states.ts';
import { explainFailure, type Origin } from './write-failure.ts';
import { inSafeOrder, type PlannedWrite } from './write-order.ts';

/** A document as the commit leaves it. */
export interface Written {
  readonly document: StoredDocument;
  readonly text: string;
}

interface PendingUpdate {
  readonly collection: Collection;
  readonly stored: StoredDocument;
  /** Shared by all documents that one request updates, until another update of the same document joins it. */
  fields: JsonObject;
  readonly origin: Origin;
}

export interface WritePlan {
  insert(collection: Collection, created: Created, origin: Origin): Written;
  /** Several updates of one document become one write; they must not disagree. */
  update(collection: Collection, stored: StoredDocument, change: Change): void;
  remove(collection: Collection, stored: StoredDocument): void;
  /** A write that is no document of a collection, to be in the same commit. */
  beside(write: Write, origin: Origin): void;
  /** Nothing was planned yet. */
  isEmpty(): boolean;
  /** Works out the updates, in the order in which they were asked for. Call once, last. */
  finish(): Promise<FinishedPlan>;
}

interface Created {
  readonly id: string;
  readonly fields: JsonObject;
  /** How deep in another document it came, 0 unless given. */
  readonly depth?: number;
}

interface Change {
  readonly fields: JsonObject;
  readonly origin: Origin;
}

interface FinishedPlan {
  /** In an order that a store without transactions can follow, see `inSafeOrder`. */
  readonly writes: readonly Write[];
  /** The documents that were updated, in the order in which that was asked for. */
  readonly updated: readonly Written[];
  /** What after-hooks are to hear of, once it is committed. */
  readonly happenings: readonly Happening[];
  /** What a client is to be told when the commit fails with `error`. */
  explain(error: unknown): unknown;
}

/** What one write may store: as many documents as it may name, each as large as it may be, would not fit into memory. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

const OURS: Origin = { prefix: '' };

export function createWritePlan(stamp: Stamp, newId: () => string): WritePlan {
  const planned: PlannedWrite[] = [];
  const updates = new Map<string, PendingUpdate>();
  const happenings: Happening[] = [];
  let left = MAX_CHARACTERS;

  const textOf = (document: StoredDocument): string => {
    const text = JSON.stringify(document);
    const problem = sizeProblem(document, text);
    if (problem !== undefined) {
      throw new AppError('PAYLOAD_TOO_LARGE', { message: `The document ${problem}` });
    }
    left -= text.length;
    if (left < 0) throw new AppError('RESULT_TOO_LARGE');
    return text;
  };
  const tell = (happening: Happening) => {
    if (hasHooks(happening)) happenings.push(happening);
  };
  const keep = (collection: Collection, state: StoredDocument, revision: Omit<RevisionFacts, 'id'>) => {
    const id = newId();
    const document = revisionOf(state, { ...revision, id });
    const write = {
      kind: 'insert',
      ns: revisionSpace(collection),
      document,
      text: textOf(document),
    } as const;
    planned.push({ write, origin: OURS, step: 'revision' });
    return id;
  };
  const applyUpdate = ({ collection, stored, fields, origin }: PendingUpdate): Written => {
    const history = historyOf(stored);
    let document = updatedState(collection, stored, { ...stamp, fields, history });
    if (collection.settings.storeRevisions) {
      const { kept, block } = splitHistory(history, versionOf(document));
      document = { ...document, history: [...kept, keep(collection, document, { action: 'update', block })] };
    }
    const text = textOf(document);
    const changed = [...Object.keys(fields), ...STAMPED];
    const { namespace: ns } = collection;
    const write = {
      kind: 'update',
      ns,
      id: stored._id,
      v: versionOf(stored),
      document,
      changed,
      text,
    } as const;
    planned.push({ write, origin, step: 'update' });
    tell({ event: 'afterUpdate', collection, text });
    return { document, text };
  };

  return {
    insert(collection, { id, fields, depth = 0 }, origin) {
      const revised = collection.settings.storeRevisions;
      let document = createdState(collection, fields, { ...stamp, id, history: revised ? [] : undefined });
      if (revised) {
        document = { ...document, history: [keep(collection, document, { action: 'create' })] };
      }
      const text = textOf(document);
      const write = { kind: 'insert', ns: collection.namespace, document, text } as const;
      planned.push({ write, origin, step: 'insert', depth });
      tell({ event: 'afterCreate', collection, text });
      return { document, text };
    },
    update(collection, stored, { fields, origin }) {
      const key = documentKey(collection.namespace, stored._id);
      const earlier = updates.get(key);
      if (earlier === undefined) updates.set(key, { collection, stored, fields, origin });
      else merge(earlier, stored, { fields, origin });
    },
    remove(collection, stored) {
      if (collection.settings.storeRevisions) keep(collection, stored, { action: 'delete' });
      const write = {
        kind: 'remove',
        ns: collection.namespace,
        id: stored._id,
        v: versionOf(stored),
      } as const;
      planned.push({ write, origin: OURS, step: 'remove' });
      if (hasHooks({ event: 'afterDelete', collection })) {
        tell({ event: 'afterDelete', collection, text: JSON.stringify(stored) });
      }
    },
    beside(write, origin) {
      planned.push({ write, origin, step: 'beside' });
    },
    isEmpty: () => planned.length === 0 && updates.size === 0,
    async finish() {
      const updated = await mapInSlices([...updates.values()], applyUpdate);
      const { writes, origins } = inSafeOrder(planned);
      return { writes, updated, happenings, explain: (error) => explainFailure(error, origins) };
    },
  };
}

type RevisionFacts = Parameters<typeof revisionOf>[1];

const STAMPED = ['apiVersion', 'lastModifiedAt', 'lastModifiedBy', 'history', 'v'];

function merge(earlier: PendingUpdate, stored: StoredDocument, { fields, origin }: Change): void {
  // Read twice while someone else wrote in between: only one of the two states can be the present one.
  if (versionOf(earlier.stored) !== versionOf(stored)) throw new StoreError('conflict');
  const joined: Record<string, Json> = { ...earlier.fields };
  for (const [name, value] of Object.entries(fields)) {
    if (Object.hasOwn(earlier.fields, name) && !isDeepStrictEqual(earlier.fields[name], value)) {
      const message = 'is given two different values for one document';
      const item = { field: `${origin.prefix}${name}`, message, code: 'ERROR_VALUE_INVALID' };
      throw new AppError('DOCUMENT_INVALID', { items: [item] });
    }
    joined[name] = value;
  }
  earlier.fields = joined;
}
