// Rolls back what a failed commit without a transaction had applied. Before-images are the documents that it will change, read
// before the first write and restored in reverse order.

import { setImmediate } from 'node:timers/promises';
import { BSON, type Document, type Filter } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { documentVersion } from '../../../lib/json/stored-json.ts';
import { type Namespace, namespaceKey, type Write } from '../../ports.ts';
import { BSON_TYPE_MARKER, parseBson, toBson, toBsonId } from '../bson/bson-conversion.ts';
import type { OperationScope } from '../connection/types.ts';
import { runWriteCommand } from './write-commands.ts';
import { readVersions } from './write-errors.ts';
import { replaceOperation, splitBySize, stateFilter, writtenId } from './write-operations.ts';

/** A document as BSON. */
type BeforeImage = Uint8Array;

/** Those that a commit updates or removes, by the writes that do. */
export type BeforeImages = ReadonlyMap<Write, BeforeImage>;

/** Memory limit of one commit, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

/** How many documents one query fetches. */
const MAX_DOCUMENTS_PER_QUERY = 1000;

/** Bytes that are read before yielding to the event loop. */
const YIELD_EVERY_BYTES = 512 * 1024;

/**
 * Reads every document that `writes` update or remove. Throws `conflict` with the first write that was computed from
 * another state, and `too-much` where all of them are more than memory should hold.
 */
export async function readBeforeImages(
  scope: OperationScope,
  writes: readonly Write[],
): Promise<BeforeImages> {
  const stored = await readStoredDocuments(scope, writes);
  const images = new Map<Write, BeforeImage>();
  const earlier = new Map<string, Write>();
  for (const [index, write] of writes.entries()) {
    const key = keyOf(write);
    const before = earlier.get(key);
    earlier.set(key, write);
    if (write.kind === 'insert') continue;
    if (before !== undefined) {
      // The state that this commit will give it; the image of the first write has the types of other programs.
      if (before.kind !== 'remove') images.set(write, BSON.serialize(toBson(before.document)));
      continue;
    }
    const found = stored.get(key);
    if (found?.v !== write.v) throw new StoreError('conflict', { index });
    images.set(write, found.image);
  }
  return images;
}

/** The image as the driver takes it, every value of the type that it had. */
export function deserializeImage(image: BeforeImage): Document {
  const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
  // Text that is not valid UTF-8 must not keep the rest from being restored.
  return guardBsonTypes(BSON.deserialize(image, { ...exact, validation: { utf8: false } })) as Document;
}

interface StoredState {
  readonly image: BeforeImage;
  readonly v: number;
}

/** No name of a collection holds a NUL. */
const keyOf = (write: Write) => `${namespaceKey(write.ns)}\0${writtenId(write)}`;

async function readStoredDocuments(
  scope: OperationScope,
  writes: readonly Write[],
): Promise<ReadonlyMap<string, StoredState>> {
  const stored = new Map<string, StoredState>();
  const changes = writes.filter(({ kind }) => kind !== 'insert');
  const groups = Map.groupBy(changes, ({ ns }) => namespaceKey(ns));
  const memory = { remaining: MAX_BYTES };
  for (const group of groups.values()) {
    for (let at = 0; at < group.length; at += MAX_DOCUMENTS_PER_QUERY) {
      await readChunk(scope, group.slice(at, at + MAX_DOCUMENTS_PER_QUERY), { stored, memory });
    }
  }
  return stored;
}

async function readChunk(
  scope: OperationScope,
  writes: readonly Write[],
  { stored, memory }: { readonly stored: Map<string, StoredState>; readonly memory: { remaining: number } },
): Promise<void> {
  const byId = new Map(writes.map((write) => [writtenId(write), keyOf(write)]));
  const [{ ns }] = writes as [Write];
  const filter: Filter<Document> = { _id: { $in: [...byId.keys()].map(toBsonId) as never[] } };
  const options = { raw: true, ...scope.timeLimit() };
  let bytesSinceYield = 0;
  for await (const found of scope.collection(ns).find(filter, options)) {
    const bytes = found as unknown as BeforeImage;
    memory.remaining -= bytes.length;
    if (memory.remaining < 0) throw new StoreError('too-much');
    const document = parseBson(bytes);
    // A copy, as the bytes are part of an answer that holds many documents.
    stored.set(byId.get(document._id) ?? '', { image: Buffer.from(bytes), v: documentVersion(document) });
    bytesSinceYield += bytes.length;
    if (bytesSinceYield < YIELD_EVERY_BYTES) continue;
    await setImmediate();
    bytesSinceYield = 0;
  }
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

/** Writes of one kind on one collection that were done, in their order. */
export interface AppliedWrites {
  readonly kind: Write['kind'];
  readonly ns: Namespace;
  readonly writes: readonly Write[];
}

/** Documents that were not restored, because another client has changed them since. */
export interface UnrestoredDocuments {
  readonly ns: Namespace;
  readonly ids: readonly string[];
}

/**
 * Deletes what was inserted, replaces what was updated and inserts what was removed, wherever it is still as the commit
 * left it. Returns what could not be restored. Rejects with what the driver throws.
 */
export async function rollBackWrites(
  scope: OperationScope,
  done: readonly AppliedWrites[],
  images: BeforeImages,
): Promise<readonly UnrestoredDocuments[]> {
  const leftovers: UnrestoredDocuments[] = [];
  for (const { kind, ns, writes } of done.toReversed()) {
    const sizeOf = (write: Write) => images.get(write)?.length ?? 0;
    for (const part of splitBySize(writes.toReversed(), sizeOf)) {
      const commandFor = (collection: string) => rollbackCommand(kind, collection, { part, images });
      const answer = await runWriteCommand(scope, { ns, commandFor }, {});
      if (answer['n'] === part.length && answer['writeErrors'] === undefined) continue;
      const ids = await unrestoredIds(scope, { kind, ns, writes: part });
      if (ids.length > 0) leftovers.push({ ns, ids });
    }
  }
  return leftovers;
}

interface RollbackPart {
  readonly part: readonly Write[];
  readonly images: BeforeImages;
}

function rollbackCommand(kind: Write['kind'], collection: string, { part, images }: RollbackPart): Document {
  const old = (write: Write) => deserializeImage(images.get(write) ?? new Uint8Array());
  const after = (write: Write) =>
    stateFilter(writtenId(write), write.kind === 'remove' ? write.v : documentVersion(write.document));
  switch (kind) {
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
        updates: part.map((one) => ({ q: after(one), u: replaceOperation(old(one)) })),
      };
    case 'remove':
      return { insert: collection, ordered: false, documents: part.map(old) };
  }
}

/** The ids of the documents that are not as they were before. */
async function unrestoredIds(
  scope: OperationScope,
  { kind, ns, writes }: AppliedWrites,
): Promise<readonly string[]> {
  const versions = await readVersions(scope, { ns, writes });
  return writes
    .filter((write) => {
      const v = versions.get(writtenId(write));
      if (kind === 'insert') return v !== undefined;
      if (kind === 'remove') return v === undefined;
      return v !== undefined && write.kind === 'update' && v !== write.v;
    })
    .map(writtenId);
}
