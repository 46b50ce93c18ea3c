// Gathers the writes of one request, revisions included, into one atomic commit.

import { isDeepStrictEqual } from 'node:util';
import { AppError, StoreError } from '../../errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { documentVersion } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import type { AfterHookEvent } from '../hooks/document-hooks.ts';
import { hasHooks } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import { revisionIds, splitHistory } from '../model/history-blocks.ts';
import { documentKey } from '../model/registry.ts';
import { revisionNamespaceOf } from '../model/revision-namespace.ts';
import { translateCommitError, type WriteOrigin } from './commit-errors.ts';
import { sizeIssue } from './document-size.ts';
import { createRevision, stampCreated, stampUpdated, type WriteStamp } from './document-stamps.ts';
import { orderWrites, type PlannedWrite } from './write-order.ts';

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
  readonly origin: WriteOrigin;
}

export interface WritePlan {
  insert(collection: Collection, created: Created, origin: WriteOrigin): Written;
  /** Several updates of one document become one write; they must not disagree. */
  update(collection: Collection, stored: StoredDocument, change: Change): void;
  remove(collection: Collection, stored: StoredDocument): void;
  /** A write that is no document of a collection, to be in the same commit. */
  addExtra(write: Write, origin: WriteOrigin): void;
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
  readonly origin: WriteOrigin;
}

interface FinishedPlan {
  /** In an order that a store without transactions can follow, see `inSafeOrder`. */
  readonly writes: readonly Write[];
  /** The documents that were updated, in the order in which that was asked for. */
  readonly updated: readonly Written[];
  /** What after-hooks are to hear of, once it is committed. */
  readonly afterHookEvents: readonly AfterHookEvent[];
  /** What a client is to be told when the commit fails with `error`. */
  explain(error: unknown): unknown;
}

/** What one write may store: as many documents as it may name, each as large as it may be, would not fit into memory. */
const MAX_WRITE_CHARACTERS = 128 * 1024 * 1024;

const NO_ORIGIN: WriteOrigin = { prefix: '' };

export function createWritePlan(stamp: WriteStamp, newId: () => string): WritePlan {
  const planned: PlannedWrite[] = [];
  const updates = new Map<string, PendingUpdate>();
  const happenings: AfterHookEvent[] = [];
  let left = MAX_WRITE_CHARACTERS;

  const textOf = (document: StoredDocument): string => {
    const text = JSON.stringify(document);
    const problem = sizeIssue(document, text);
    if (problem !== undefined) {
      throw new AppError('PAYLOAD_TOO_LARGE', { message: `The document ${problem}` });
    }
    left -= text.length;
    if (left < 0) throw new AppError('RESULT_TOO_LARGE');
    return text;
  };
  const tell = (happening: AfterHookEvent) => {
    if (hasHooks(happening)) happenings.push(happening);
  };
  const keep = (collection: Collection, state: StoredDocument, revision: Omit<RevisionFacts, 'id'>) => {
    const id = newId();
    const document = createRevision(state, { ...revision, id });
    const write = {
      kind: 'insert',
      ns: revisionNamespaceOf(collection),
      document,
      text: textOf(document),
    } as const;
    planned.push({ write, origin: NO_ORIGIN, step: 'revision' });
    return id;
  };
  const applyUpdate = ({ collection, stored, fields, origin }: PendingUpdate): Written => {
    const history = revisionIds(stored);
    let document = stampUpdated(collection, stored, { ...stamp, fields, history });
    if (collection.settings.storeRevisions) {
      const { kept, block } = splitHistory(history, documentVersion(document));
      document = { ...document, history: [...kept, keep(collection, document, { action: 'update', block })] };
    }
    const text = textOf(document);
    const changed = [...Object.keys(fields), ...STAMPED_FIELDS];
    const { namespace: ns } = collection;
    const write = {
      kind: 'update',
      ns,
      id: stored._id,
      v: documentVersion(stored),
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
      let document = stampCreated(collection, fields, { ...stamp, id, history: revised ? [] : undefined });
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
      else mergeUpdate(earlier, stored, { fields, origin });
    },
    remove(collection, stored) {
      if (collection.settings.storeRevisions) keep(collection, stored, { action: 'delete' });
      const write = {
        kind: 'remove',
        ns: collection.namespace,
        id: stored._id,
        v: documentVersion(stored),
      } as const;
      planned.push({ write, origin: NO_ORIGIN, step: 'remove' });
      if (hasHooks({ event: 'afterDelete', collection })) {
        tell({ event: 'afterDelete', collection, text: JSON.stringify(stored) });
      }
    },
    addExtra(write, origin) {
      planned.push({ write, origin, step: 'beside' });
    },
    isEmpty: () => planned.length === 0 && updates.size === 0,
    async finish() {
      const updated = await mapYielding([...updates.values()], applyUpdate);
      const { writes, origins } = orderWrites(planned);
      return {
        writes,
        updated,
        afterHookEvents: happenings,
        explain: (error) => translateCommitError(error, origins),
      };
    },
  };
}

type RevisionFacts = Parameters<typeof createRevision>[1];

const STAMPED_FIELDS = ['apiVersion', 'lastModifiedAt', 'lastModifiedBy', 'history', 'v'];

function mergeUpdate(earlier: PendingUpdate, stored: StoredDocument, { fields, origin }: Change): void {
  // Read twice while someone else wrote in between: only one of the two states can be the present one.
  if (documentVersion(earlier.stored) !== documentVersion(stored)) throw new StoreError('conflict');
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
