// Commits several writes on a server without transactions: one command after the other, undone in reverse order if one fails.
// What it changes or removes is kept, so that it can be restored.
import { BSON, type Collection, type Document } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { documentVersion } from '../../../lib/json/stored-json.ts';
import type { Logger } from '../../../lib/logger.ts';
import { type Namespace, namespaceKey, type Write } from '../../ports.ts';
import { BSON_TYPE_MARKER, parseBson } from '../bson/bson-conversion.ts';
import { retryRead, toStoreErrorOrDefect } from '../connection/errors.ts';
import type { OperationScope } from '../connection/types.ts';
import { type BatchResult, runWriteCommand, sendBatch } from './write-commands.ts';
import { type FailedWrite, filterOf, findProgress, progressAfter, readDocuments } from './write-errors.ts';
import {
  batchesOf,
  isSameKind,
  replaceOperation,
  splitBySize,
  stateFilter,
  type WriteBatch,
  writtenId,
} from './write-operations.ts';

/** How many removals are on their way at once: no order matters among them. */
const MAX_CONCURRENT_REMOVALS = 16;

/** What a commit keeps of the documents that it changes, in bytes. */
const MAX_IMAGE_BYTES = 128 * 1024 * 1024;

/** The journal is one sequence: whoever waits for it in the end waits for all that came before. */
const UNJOURNALED = { w: 1, j: false };

type Removal = Extract<Write, { kind: 'remove' }>;

const NO_IMAGES: ReadonlyMap<string, Uint8Array> = new Map();

/** A write that was applied, and the document before it as BSON. */
export interface AppliedWrite {
  readonly write: Write;
  readonly image?: Uint8Array | undefined;
}

interface CommitState {
  readonly scope: OperationScope;
  readonly applied: AppliedWrite[];
  imageBytes: number;
}

/**
 * Applies the writes in order, all or none: those that were applied are undone if one fails. Resolves with the failed write.
 * Readers may see a part of the writes meanwhile. Rejects with `timeout` at the deadline, with nothing left applied.
 * If the server stops answering, the writes up to an unknown point stay: undoing them might remove a document that a later
 * write refers to.
 */
export async function writeWithoutTransaction(
  limited: OperationScope,
  writes: readonly Write[],
  log: Pick<Logger, 'error'>,
): Promise<FailedWrite | undefined> {
  const state: CommitState = { scope: withoutDeadline(limited, writes), applied: [], imageBytes: 0 };
  try {
    for (const batch of batchesOf(writes, joinsChanges)) {
      const failure = await applyBatch(state, batch);
      if (failure === undefined) continue;
      const { at = 0, error } = failure;
      await undoAll(state, log);
      return { error, write: batch.writes[at] as Write, index: batch.first + at };
    }
    await untilDurable(limited, writes);
    // The caller has been told that nothing was written.
    limited.remainingMs();
    return undefined;
  } catch (error) {
    if (progressAfter(error) !== 'unknown') await undoAll(state, log);
    throw error;
  }
}

/** A scope that still returns the collections of the writes after the deadline, to undo them. */
function withoutDeadline(scope: OperationScope, writes: readonly Write[]): OperationScope {
  const collections = new Map<string, Collection>();
  for (const { ns } of writes) {
    const key = namespaceKey(ns);
    if (!collections.has(key)) collections.set(key, scope.collection(ns));
  }
  return { ...scope, collection: (ns) => collections.get(namespaceKey(ns)) ?? scope.collection(ns) };
}

/** Of each document one image is kept for a batch. */
const joinsChanges = (batch: readonly Write[], write: Write) =>
  write.kind === 'insert' ||
  ((write.kind === 'update' || batch.length < MAX_CONCURRENT_REMOVALS) &&
    batch.every((one) => writtenId(one) !== writtenId(write)));

/** Applies the writes of a batch, and notes what was applied. Rejects with `timeout` at the deadline. */
function applyBatch(state: CommitState, batch: WriteBatch): Promise<BatchResult['failure']> {
  return batch.kind === 'remove' ? removeAll(state, batch) : writeAll(state, batch);
}

/** Inserts or updates by one command. */
async function writeAll(state: CommitState, batch: WriteBatch): Promise<BatchResult['failure']> {
  const { scope, applied } = state;
  const { writes } = batch;
  const images = batch.kind === 'update' ? await retryRead(scope, () => readImages(state, batch)) : NO_IMAGES;
  const missing = writes.findIndex((write) => write.kind === 'update' && !images.has(write.id));
  if (missing >= 0) return { at: missing, error: new StoreError('conflict') };
  const note = (count: number) => {
    for (const write of writes.slice(0, count)) {
      if (write.kind === 'insert' && write.keepOnRollback === true) continue;
      applied.push({ write, image: images.get(writtenId(write)) });
    }
  };
  const limit = scope.timeLimit();
  try {
    const { done, failure } = await sendBatch(scope, batch, { ...limit, writeConcern: UNJOURNALED });
    note(done);
    return failure;
  } catch (error) {
    const progress = progressAfter(error);
    if (progress === 'nothing') return { at: 0, error };
    if (progress === 'as-found') note(await findProgress(scope, batch));
    throw error;
  }
}

/** The documents of a batch as they are. */
async function readImages(
  state: CommitState,
  { ns, writes }: WriteBatch,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const images = new Map<string, Uint8Array>();
  const found = state.scope.collection(ns).find(filterOf(writes), { raw: true, ...state.scope.timeLimit() });
  for await (const bytes of found as AsyncIterable<unknown> as AsyncIterable<Uint8Array>) {
    images.set(parseBson(bytes)._id, keepImage(state, bytes));
    assertImagesFit(state);
  }
  return images;
}

/** A copy, as the bytes are part of an answer. */
function keepImage(state: CommitState, bytes: Uint8Array): Uint8Array {
  state.imageBytes += bytes.length;
  return Buffer.from(bytes);
}

function assertImagesFit({ imageBytes }: CommitState): void {
  if (imageBytes > MAX_IMAGE_BYTES) throw new StoreError('too-much');
}

/** One command for each, several at once: a command for many would not say which ones somebody else had removed. */
async function removeAll(state: CommitState, { writes }: WriteBatch): Promise<BatchResult['failure']> {
  const limit = state.scope.timeLimit();
  const removals = writes as readonly Removal[];
  const results = await Promise.allSettled(removals.map((write) => remove(state.scope, write, limit)));
  const failures: { readonly at: number; readonly error: unknown }[] = [];
  for (const [at, result] of results.entries()) {
    if (result.status === 'rejected') failures.push({ at, error: result.reason });
    else state.applied.push({ write: writes[at] as Write, image: keepImage(state, result.value) });
  }
  const unknown = failures.find(({ error }) => progressAfter(error) === 'unknown');
  if (unknown !== undefined) throw unknown.error;
  assertImagesFit(state);
  return failures[0];
}

/** Removes a document, and resolves with what it was. Rejects with `conflict` where it is in another state. */
async function remove(
  scope: OperationScope,
  { ns, id, v }: Removal,
  limit: ReturnType<OperationScope['timeLimit']>,
): Promise<Uint8Array> {
  const command = { query: stateFilter(id, v), remove: true, fields: { _id: 0, image: ['$$ROOT'] } };
  const sending = { ...limit, writeConcern: UNJOURNALED, fieldsAsRaw: { image: true } };
  const commandFor = (findAndModify: string) => ({ findAndModify, ...command });
  const answer = await runWriteCommand(scope, ns, commandFor, sending);
  const image: Uint8Array | undefined = answer['value']?.image[0];
  if (image === undefined) throw new StoreError('conflict');
  return image;
}

/** Resolves once all that was written is in the journal: even a command that finds nothing waits for it. */
async function untilDurable(scope: OperationScope, writes: readonly Write[]): Promise<void> {
  const [{ ns }] = writes as [Write];
  const deletes = [{ q: { _id: { $in: [] } }, limit: 1 }];
  await runWriteCommand(scope, ns, (collection) => ({ delete: collection, deletes }), scope.timeLimit());
}

/** Undoes all that was applied, and logs what could not be undone. */
async function undoAll({ scope, applied }: CommitState, log: Pick<Logger, 'error'>): Promise<void> {
  try {
    for (const { ns, ids } of await undoWrites(scope, applied)) {
      log.error({ ns, ids }, 'rollback skipped documents that were changed meanwhile');
    }
  } catch (error) {
    log.error(
      { err: toStoreErrorOrDefect(error), written: applied.length },
      'rollback of a failed write failed',
    );
  }
}

const isAlike = (part: readonly AppliedWrite[], { write }: AppliedWrite) =>
  isSameKind((part[0] as AppliedWrite).write, write);

/**
 * Deletes what was inserted, replaces what was updated and inserts what was removed, last first, wherever it is still as the
 * commit left it. Resolves with the documents that were not, because another client has changed them since. Rejects with what
 * the driver throws.
 */
export async function undoWrites(
  scope: OperationScope,
  applied: readonly AppliedWrite[],
): Promise<readonly { readonly ns: Namespace; readonly ids: readonly string[] }[]> {
  const leftovers: { readonly ns: Namespace; readonly ids: readonly string[] }[] = [];
  for (const part of splitBySize(applied.toReversed(), ({ image }) => image?.length ?? 0, isAlike)) {
    const writes = part.map(({ write }) => write);
    const [{ ns }] = writes as [Write];
    const answer = await runWriteCommand(scope, ns, (collection) => undoCommand(collection, part), {});
    if (answer['n'] === part.length && answer['writeErrors'] === undefined) continue;
    const found = await readDocuments(scope, { ns, writes });
    const ids = writes.filter((write) => isLeft(write, found.get(writtenId(write)))).map(writtenId);
    if (ids.length > 0) leftovers.push({ ns, ids });
  }
  return leftovers;
}

function undoCommand(collection: string, part: readonly AppliedWrite[]): Document {
  const after = ({ write }: AppliedWrite) =>
    stateFilter(writtenId(write), write.kind === 'remove' ? write.v : documentVersion(write.document));
  const before = ({ image = new Uint8Array() }: AppliedWrite) => deserializeImage(image);
  switch (part[0]?.write.kind) {
    case 'insert':
      return {
        delete: collection,
        ordered: false,
        deletes: part.map((one) => ({ q: after(one), limit: 1 })),
      };
    case 'update':
      return {
        update: collection,
        ordered: false,
        updates: part.map((one) => ({ q: after(one), u: replaceOperation(before(one)) })),
      };
    default:
      return { insert: collection, ordered: false, documents: part.map(before) };
  }
}

/** Whether a document is not as it was before the write. */
function isLeft(write: Write, found: Document | undefined): boolean {
  if (write.kind === 'remove') return found === undefined;
  return found !== undefined && (write.kind === 'insert' || documentVersion(found as never) !== write.v);
}

/** The document as the driver takes it, every value of the type that it had. */
export function deserializeImage(image: Uint8Array): Document {
  const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
  // Text that is not valid UTF-8 must not keep the rest from being restored.
  return guardBsonTypes(BSON.deserialize(image, { ...exact, validation: { utf8: false } })) as Document;
}

/** Replaces objects that look like one of the driver's own by maps. */
function guardBsonTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(guardBsonTypes);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    guardBsonTypes(member),
  ]);
  return Object.hasOwn(value, BSON_TYPE_MARKER) ? new Map(entries) : Object.fromEntries(entries);
}
