// Collects the writes of one request, revisions included, into one atomic commit.

import { isDeepStrictEqual } from 'node:util';
import { AppError, StoreError } from '../../errors/errors.ts';
import { andThen, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import { namespaceKey, type StoredDocument, type Write } from '../../stores/ports.ts';
import type { AfterHookEvent } from '../hooks/document-hooks.ts';
import { type Collection, documentKey } from '../model/collection.ts';
import {
  createRevision,
  ownerOf,
  REVISION_REMOVAL,
  type RevisionOptions,
  revisionIds,
  revisionNamespaceOf,
  sizeIssue,
  splitHistory,
  stampCreated,
  stampUpdated,
  type WriteStamp,
} from '../model/stored-document.ts';
import { type BodyPosition, orderWrites, type PlannedWrite, WHOLE_BODY } from './planned-write.ts';

/** A document as the commit stores it. */
interface Written {
  readonly document: StoredDocument;
  readonly text: string;
}

interface NewDocument {
  readonly id: string;
  readonly fields: JsonObject;
  /** Depth of a sub-document; 0 for the document itself. */
  readonly depth?: number;
}

interface Change {
  readonly fields: JsonObject;
  /** Names of fields that go. */
  readonly removed?: readonly string[];
  readonly position: BodyPosition;
}

interface PendingUpdate extends Change {
  readonly collection: Collection;
  /** Further ones through which the same write updates the document. */
  readonly others: readonly Collection[];
  readonly stored: StoredDocument;
}

export interface FinishedPlan {
  /** In an order that a store without transactions can follow, see `orderWrites`. */
  readonly writes: readonly Write[];
  /** Runs beside `writes`. */
  readonly planned: readonly PlannedWrite[];
  /** The updated documents, in the order in which the updates were added. */
  readonly updated: readonly Written[];
  /** To be emitted after the commit. */
  readonly afterHookEvents: readonly AfterHookEvent[];
}

/** Characters that one write may store: not all documents of a write may be as large as one of them may. */
const MAX_WRITE_CHARACTERS = 128 * 1024 * 1024;

/** Fields that every update changes. */
const STAMPED_FIELDS = ['apiVersion', 'lastModifiedAt', 'lastModifiedBy', 'history', 'v'];

const NONE: readonly never[] = [];

/** The writes of one request. All get one stamp: the time and who wrote. */
export class WritePlan {
  readonly #stamp: WriteStamp;
  readonly #generateId: () => string;
  readonly #planned: PlannedWrite[] = [];
  readonly #afterHookEvents: AfterHookEvent[] = [];
  #updates: Map<string, PendingUpdate> | undefined;
  #remaining = MAX_WRITE_CHARACTERS;

  constructor(stamp: WriteStamp, generateId: () => string) {
    this.#stamp = stamp;
    this.#generateId = generateId;
  }

  insert(collection: Collection, { id, fields, depth = 0 }: NewDocument, position: BodyPosition): Written {
    const isRevised = collection.settings.storeRevisions;
    let document = stampCreated(collection, fields, {
      ...this.#stamp,
      id,
      history: isRevised ? [] : undefined,
    });
    if (isRevised) {
      document = { ...document, history: [this.#addRevision(collection, document, { action: 'create' })] };
    }
    const text = this.#encode(document);
    const write = { kind: 'insert', ns: collection.namespace, document, text } as const;
    this.#planned.push({ write, position, step: 'insert', depth, collections: [collection] });
    const written = { document, text };
    this.#addEvent('afterCreate', collection, written);
    return written;
  }

  /**
   * Several updates of one document become one write. Throws DOCUMENT_INVALID where they contradict each other, and a
   * StoreError `conflict` where they are of different states of it.
   */
  update(collection: Collection, stored: StoredDocument, change: Change): void {
    this.#updates ??= new Map();
    const key = documentKey(collection.namespace, stored._id);
    const earlier = this.#updates.get(key);
    const update =
      earlier === undefined
        ? { collection, others: NONE, stored, ...change }
        : mergeUpdates(earlier, { collection, stored, ...change });
    this.#updates.set(key, update);
  }

  /**
   * Inserts a removed document again. `last` has its id, the `v` it had last, who created it, and the ids of its revisions;
   * `state` is all that it was, and `lastRevision` what keeps that.
   */
  insertAgain(
    collection: Collection,
    {
      last,
      state,
      lastRevision,
      fields,
    }: Readonly<Record<'last' | 'state' | 'lastRevision', StoredDocument>> & { readonly fields: JsonObject },
  ): Written {
    const history = revisionIds(last);
    let document = stampUpdated(collection, last, { ...this.#stamp, fields, history });
    const { kept, block } = splitHistory(history, documentVersion(document));
    const revision = this.#addRevision(collection, document, { action: 'create', block });
    document = { ...document, history: [...kept, revision] };
    const text = this.#encode(document);
    const write = { kind: 'insert', ns: collection.namespace, document, text } as const;
    this.#planned.push({
      write,
      position: WHOLE_BODY,
      step: 'insert',
      collections: [collection],
      stored: state,
    });
    this.#endRemoval(collection, lastRevision);
    this.#addEvent('afterCreate', collection, { document, text });
    return { document, text };
  }

  remove(collection: Collection, stored: StoredDocument): void {
    if (collection.settings.storeRevisions) {
      this.#addRevision(collection, stored, { action: 'delete', removal: this.#stamp });
    }
    const { namespace: ns } = collection;
    const write = { kind: 'remove', ns, id: stored._id, v: documentVersion(stored) } as const;
    this.#planned.push({ write, position: WHOLE_BODY, step: 'remove', collections: [collection], stored });
    this.#addEvent('afterDelete', collection, { document: stored });
  }

  /** Adds a write that is no document of a collection. `index`: among the extra writes of the caller. */
  addExtra(write: Write, index?: number): void {
    const position = index === undefined ? WHOLE_BODY : { prefix: '', extraWrite: index };
    this.#planned.push({ write, position, step: 'extra', collections: NONE });
  }

  /** Has `read` replace the states that the updates are computed from, collection by collection. */
  async refreshTargets(
    read: (collection: Collection, stored: readonly StoredDocument[]) => Promise<readonly StoredDocument[]>,
  ): Promise<void> {
    const updates = [...(this.#updates?.values() ?? [])];
    for (const group of Map.groupBy(updates, ({ collection }) =>
      namespaceKey(collection.namespace),
    ).values()) {
      const [{ collection } = {}] = group;
      if (collection === undefined) continue;
      const fresh = await read(
        collection,
        group.map(({ stored }) => stored),
      );
      for (const [at, update] of group.entries()) {
        const stored = fresh[at] ?? update.stored;
        this.#updates?.set(documentKey(collection.namespace, stored._id), { ...update, stored });
      }
    }
  }

  /** Computes the updates, in the order in which they were added. Call once, last. */
  finish(): MaybePromise<FinishedPlan> {
    if (this.#updates === undefined) return this.#finishWith(NONE);
    const applied = mapYielding([...this.#updates.values()], (update) => this.#applyUpdate(update));
    return andThen(applied, (updated) => this.#finishWith(updated));
  }

  #finishWith(updated: readonly Written[]): FinishedPlan {
    const planned = orderWrites(this.#planned);
    const writes = planned.map(({ write }) => write);
    return { writes, planned, updated, afterHookEvents: this.#afterHookEvents };
  }

  #applyUpdate({ collection, others, stored, fields, removed = NONE, position }: PendingUpdate): Written {
    const history = revisionIds(stored);
    let document = stampUpdated(collection, stored, { ...this.#stamp, fields, removed, history });
    if (collection.settings.storeRevisions) {
      const { kept, block } = splitHistory(history, documentVersion(document));
      const revision = this.#addRevision(collection, document, { action: 'update', block });
      document = { ...document, history: [...kept, revision] };
    }
    const text = this.#encode(document);
    const changed = [...Object.keys(fields), ...removed, ...STAMPED_FIELDS];
    const target = { ns: collection.namespace, id: stored._id, v: documentVersion(stored) };
    this.#planned.push({
      write: { kind: 'update', ...target, document, changed, text },
      position,
      step: 'update',
      collections: [...new Set([collection, ...others])],
      stored,
    });
    const written = { document, text };
    this.#addEvent('afterUpdate', collection, { ...written, previous: stored });
    return written;
  }

  /** Adds the revision that keeps a state, and returns its id. */
  #addRevision(
    collection: Collection,
    state: StoredDocument,
    options: Pick<RevisionOptions, 'action' | 'block' | 'removal'>,
  ): string {
    const id = this.#generateId();
    const document = createRevision(state, { ...options, id, originalCollection: ownerOf(collection) });
    const ns = revisionNamespaceOf(collection);
    const write = { kind: 'insert', ns, document, text: this.#encode(document) } as const;
    this.#planned.push({ write, position: WHOLE_BODY, step: 'revision', collections: [collection] });
    return id;
  }

  /** The document is no longer among the removed ones. After its insert: a store without transactions may stop between the two. */
  #endRemoval(collection: Collection, revision: StoredDocument): void {
    const { [REVISION_REMOVAL]: removal, ...rest } = revision;
    if (removal === undefined) return;
    const document = { ...rest, _id: revision._id };
    const target = { ns: revisionNamespaceOf(collection), id: revision._id, v: documentVersion(revision) };
    const write = { kind: 'update', ...target, document, changed: [REVISION_REMOVAL] } as const;
    this.#planned.push({ write, position: WHOLE_BODY, step: 'update', collections: NONE });
  }

  /** Adds the event if the collection has hooks for it. The text of a state that is gone is made only then. */
  #addEvent(
    event: AfterHookEvent['event'],
    collection: Collection,
    { document, text, previous }: Pick<Written, 'document'> & Partial<Written & { previous: StoredDocument }>,
  ): void {
    if (collection.settings.hooks?.[event] === undefined) return;
    const before = previous === undefined ? {} : { previousText: JSON.stringify(previous) };
    this.#afterHookEvents.push({ event, collection, text: text ?? JSON.stringify(document), ...before });
  }

  #encode(document: StoredDocument): string {
    const text = JSON.stringify(document);
    const issue = sizeIssue(document, text);
    if (issue !== undefined) throw new AppError('PAYLOAD_TOO_LARGE', { message: `The document ${issue}` });
    this.#remaining -= text.length;
    if (this.#remaining < 0) throw new AppError('RESULT_TOO_LARGE');
    return text;
  }
}

/** The update of a document that is updated twice. Throws a conflict where another write came between its two reads. */
function mergeUpdates(
  earlier: PendingUpdate,
  { collection, stored, fields, removed = NONE, position }: Omit<PendingUpdate, 'others'>,
): PendingUpdate {
  if (documentVersion(earlier.stored) !== documentVersion(stored)) throw new StoreError('conflict');
  const merged: Record<string, Json> = { ...earlier.fields };
  for (const [name, value] of Object.entries(fields)) {
    const isSetOtherwise =
      Object.hasOwn(earlier.fields, name) && !isDeepStrictEqual(earlier.fields[name], value);
    if (isSetOtherwise || earlier.removed?.includes(name)) {
      const message = 'is given two different values for one document';
      const item = { field: `${position.prefix}${name}`, message, code: 'ERROR_VALUE_INVALID' };
      throw new AppError('DOCUMENT_INVALID', { items: [item] });
    }
    merged[name] = value;
  }
  const others = [...earlier.others, collection];
  return { ...earlier, others, fields: merged, removed: [...(earlier.removed ?? NONE), ...removed] };
}
