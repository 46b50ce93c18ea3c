// What stood in the database before a commit without a transaction touched it, to be put back should it fail.
import { setImmediate } from 'node:timers/promises';
import { BSON, type Document, type Filter } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import { versionOf } from '../../../lib/document-version.ts';
import type { Write } from '../../ports.ts';
import { fromBson } from '../bson/text.ts';
import { MARK, toBson, toBsonId } from '../bson/values.ts';
import type { Scope } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import { idOf } from './statements.ts';

/** A document as the database held it. */
type Image = Uint8Array;

/** Those that a commit updates or removes, by the writes that do. */
export type Images = ReadonlyMap<Write, Image>;

/** What one commit may keep in memory, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

/** How many documents one query fetches. */
const STEP = 1000;

/** Bytes that are read between two turns of the event loop. */
const STRETCH = 512 * 1024;

/**
 * Reads every document that `writes` update or remove. Throws `conflict` with the first write that was computed from
 * another state, and `too-much` where all of them are more than memory should hold.
 */
export async function readImages(scope: Scope, writes: readonly Write[]): Promise<Images> {
  const stored = await readStored(scope, writes);
  const images = new Map<Write, Image>();
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
export function restored(image: Image): Document {
  const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };
  return guarded(BSON.deserialize(image, exact)) as Document;
}

interface Stored {
  readonly image: Image;
  readonly v: number;
}

/** No name of a collection holds a NUL. */
const keyOf = (write: Write) => `${spaceKey(write.ns)}\0${idOf(write)}`;

async function readStored(scope: Scope, writes: readonly Write[]): Promise<ReadonlyMap<string, Stored>> {
  const stored = new Map<string, Stored>();
  const changes = writes.filter(({ kind }) => kind !== 'insert');
  const groups = Map.groupBy(changes, ({ ns }) => spaceKey(ns));
  const budget = { left: MAX_BYTES };
  for (const group of groups.values()) {
    for (let at = 0; at < group.length; at += STEP) {
      await readStep(scope, group.slice(at, at + STEP), { stored, budget });
    }
  }
  return stored;
}

async function readStep(
  scope: Scope,
  writes: readonly Write[],
  { stored, budget }: { readonly stored: Map<string, Stored>; readonly budget: { left: number } },
): Promise<void> {
  const byId = new Map(writes.map((write) => [idOf(write), keyOf(write)]));
  const [{ ns }] = writes as [Write];
  const filter: Filter<Document> = { _id: { $in: [...byId.keys()].map(toBsonId) as never[] } };
  const options = { raw: true, ...scope.timeLimit() };
  let stretch = 0;
  for await (const found of scope.collection(ns).find(filter, options)) {
    const bytes = found as unknown as Image;
    budget.left -= bytes.length;
    if (budget.left < 0) throw new StoreError('too-much');
    const document = fromBson(bytes);
    // A copy, as the bytes are part of an answer that holds many documents.
    stored.set(byId.get(document._id) ?? '', { image: Buffer.from(bytes), v: versionOf(document) });
    stretch += bytes.length;
    if (stretch < STRETCH) continue;
    await setImmediate();
    stretch = 0;
  }
}

/** The same value with maps for the objects that only look like one of the driver's. */
function guarded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(guarded);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, guarded(member)]);
  return Object.hasOwn(value, MARK) ? new Map(entries) : Object.fromEntries(entries);
}
