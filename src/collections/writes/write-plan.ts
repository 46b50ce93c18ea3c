// Collects the writes of one request, revisions included, into one atomic commit.
import { isDeepStrictEqual } from 'node:util';
import { AppError, StoreError } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { documentVersion } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { namespaceKey } from '../../stores/namespace.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import type { AfterHookEvent } from '../hooks/document-hooks.ts';
import { hasHooks } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import { revisionIds, splitHistory } from '../model/history-blocks.ts';
import { documentKey } from '../model/registry.ts';
import { revisionNamespaceOf } from '../model/revision-namespace.ts';
import { BODY_ORIGIN, type WriteOrigin } from '../validation/issue-position.ts';
import { sizeIssue } from './document-size.ts';
import {
  createRevision,
  type RevisionOptions,
  stampCreated,
  stampUpdated,
  type WriteStamp,
} from './document-stamps.ts';

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
  readonly origin: WriteOrigin;
}

interface PendingUpdate extends Change {
  readonly collection: Collection;
  readonly stored: StoredDocument;
}

export interface WritePlan {
  insert(collection: Collection, created: NewDocument, origin: WriteOrigin): Written;
  /** Several updates of one document become one write. Throws DOCUMENT_INVALID where they contradict each other. */
  update(collection: Collection, stored: StoredDocument, change: Change): void;
  remove(collection: Collection, stored: StoredDocument): void;
  /** A write that is no document of a collection. `position`: among the extra writes of the caller. */
  addExtra(write: Write, position?: number): void;
  /** Computes the updates, in the order in which they were added. Call once, last. */
  finish(): Promise<FinishedPlan>;
}

export interface FinishedPlan {
  /** In an order that a store without transactions can follow, see `orderWrites`. */
  readonly writes: readonly Write[];
  /** Runs beside `writes`. */
  readonly origins: readonly WriteOrigin[];
  /** The updated documents, in the order in which the updates were added. */
  readonly updated: readonly Written[];
  /** To be emitted after the commit. */
  readonly afterHookEvents: readonly AfterHookEvent[];
}

export interface PlannedWrite {
  readonly write: Write;
  readonly origin: WriteOrigin;
  readonly step: 'extra' | 'revision' | 'insert' | 'update' | 'remove';
  /** Depth of an inserted sub-document; 0 for the document itself. */
  readonly depth?: number;
}

/** Characters that one write may store: not all documents of a write may be as large as one of them may. */
const MAX_WRITE_CHARACTERS = 128 * 1024 * 1024;

/** Fields that every update changes. */
const STAMPED_FIELDS = ['apiVersion', 'lastModifiedAt', 'lastModifiedBy', 'history', 'v'];

export function createWritePlan(stamp: WriteStamp, newId: () => string): WritePlan {
  const planned: PlannedWrite[] = [];
  const updates = new Map<string, PendingUpdate>();
  const afterHookEvents: AfterHookEvent[] = [];
  let remaining = MAX_WRITE_CHARACTERS;

  const encode = (document: StoredDocument): string => {
    const text = JSON.stringify(document);
    const issue = sizeIssue(document, text);
    if (issue !== undefined) throw new AppError('PAYLOAD_TOO_LARGE', { message: `The document ${issue}` });
    remaining -= text.length;
    if (remaining < 0) throw new AppError('RESULT_TOO_LARGE');
    return text;
  };
  const addRevision = (
    collection: Collection,
    state: StoredDocument,
    options: Omit<RevisionOptions, 'id'>,
  ): string => {
    const id = newId();
    const document = createRevision(state, { ...options, id });
    const ns = revisionNamespaceOf(collection);
    const write = { kind: 'insert', ns, document, text: encode(document) } as const;
    planned.push({ write, origin: BODY_ORIGIN, step: 'revision' });
    return id;
  };
  const addEvent = (event: AfterHookEvent) => {
    if (hasHooks(event)) afterHookEvents.push(event);
  };
  const applyUpdate = ({ collection, stored, fields, origin }: PendingUpdate): Written => {
    const history = revisionIds(stored);
    let document = stampUpdated(collection, stored, { ...stamp, fields, history });
    if (collection.settings.storeRevisions) {
      const { kept, block } = splitHistory(history, documentVersion(document));
      const revision = addRevision(collection, document, { action: 'update', block });
      document = { ...document, history: [...kept, revision] };
    }
    const text = encode(document);
    const { namespace: ns } = collection;
    const changed = [...Object.keys(fields), ...STAMPED_FIELDS];
    const target = { ns, id: stored._id, v: documentVersion(stored) };
    planned.push({ write: { kind: 'update', ...target, document, changed, text }, origin, step: 'update' });
    addEvent({ event: 'afterUpdate', collection, text });
    return { document, text };
  };

  return {
    insert(collection, { id, fields, depth = 0 }, origin) {
      const isRevised = collection.settings.storeRevisions;
      let document = stampCreated(collection, fields, { ...stamp, id, history: isRevised ? [] : undefined });
      if (isRevised) {
        document = { ...document, history: [addRevision(collection, document, { action: 'create' })] };
      }
      const text = encode(document);
      const write = { kind: 'insert', ns: collection.namespace, document, text } as const;
      planned.push({ write, origin, step: 'insert', depth });
      addEvent({ event: 'afterCreate', collection, text });
      return { document, text };
    },
    update(collection, stored, change) {
      const key = documentKey(collection.namespace, stored._id);
      const earlier = updates.get(key);
      updates.set(
        key,
        earlier === undefined ? { collection, stored, ...change } : join(earlier, stored, change),
      );
    },
    remove(collection, stored) {
      if (collection.settings.storeRevisions) addRevision(collection, stored, { action: 'delete' });
      const { namespace: ns } = collection;
      const write = { kind: 'remove', ns, id: stored._id, v: documentVersion(stored) } as const;
      planned.push({ write, origin: BODY_ORIGIN, step: 'remove' });
      if (hasHooks({ event: 'afterDelete', collection })) {
        afterHookEvents.push({ event: 'afterDelete', collection, text: JSON.stringify(stored) });
      }
    },
    addExtra(write, position) {
      const origin = position === undefined ? BODY_ORIGIN : { prefix: '', extraWrite: position };
      planned.push({ write, origin, step: 'extra' });
    },
    async finish() {
      const updated = updates.size === 0 ? [] : await mapYielding([...updates.values()], applyUpdate);
      return { ...orderWrites(planned), updated, afterHookEvents };
    },
  };
}

/** The update of a document that is updated twice. Throws a conflict where another write came between its two reads. */
function join(earlier: PendingUpdate, stored: StoredDocument, { fields, origin }: Change): PendingUpdate {
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
  return { ...earlier, fields: joined };
}

const STEPS: readonly PlannedWrite['step'][] = ['extra', 'revision', 'insert', 'update', 'remove'];

interface OrderedWrites {
  readonly writes: readonly Write[];
  /** Runs beside `writes`. */
  readonly origins: readonly WriteOrigin[];
}

/**
 * Orders writes for stores without transactions: extra writes, revisions, new documents from the innermost to the outermost,
 * updates, removals. Whatever part of them was written before a crash, no reference leads to a missing document and no
 * document lacks its revision. Within a step, the writes of one collection stand together, in the order in which they came.
 */
export function orderWrites(planned: readonly PlannedWrite[]): OrderedWrites {
  const ordered = isUniform(planned) ? planned : sortWrites(planned);
  return { writes: ordered.map(({ write }) => write), origins: ordered.map(({ origin }) => origin) };
}

/** True for one kind of write to one collection, which nearly all commits are. */
function isUniform(planned: readonly PlannedWrite[]): boolean {
  const [first] = planned;
  return planned.every(
    ({ step, depth, write }) => step === first?.step && depth === first.depth && write.ns === first.write.ns,
  );
}

function sortWrites(planned: readonly PlannedWrite[]): readonly PlannedWrite[] {
  const collections = new Map<string, number>();
  const ranked = planned.map((one) => {
    const key = namespaceKey(one.write.ns);
    const collection = collections.get(key) ?? collections.size;
    collections.set(key, collection);
    return { one, step: STEPS.indexOf(one.step), depth: one.depth ?? 0, collection };
  });
  ranked.sort((a, b) => a.step - b.step || b.depth - a.depth || a.collection - b.collection);
  return ranked.map(({ one }) => one);
}
