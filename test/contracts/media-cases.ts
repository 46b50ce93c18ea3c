// What the contract tests of media stores share: the subject, and files to store.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { MediaKey, MediaStore, MediaUpload } from '../../src/stores/media-store.ts';

export interface OpenedMedia {
  readonly store: MediaStore;
  /** Another store on the same files, as another process has it. */
  another(): MediaStore;
  /** Text of a module that leaves the same in a constant called `store`. */
  readonly program: string;
  /** Puts a file there past the store, which takes several steps for each: in one. */
  put(key: MediaKey, bytes: Uint8Array): Promise<unknown>;
  /** Everything that lies there, staged uploads, journals and reservations included. */
  everything(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export interface MediaSubject {
  opened: OpenedMedia;
  store: MediaStore;
}

/** The name as asked for, then `name-1.ext` and so on. */
export function named(key: MediaKey): (attempt: number) => MediaKey {
  const dot = key.lastIndexOf('.');
  return (attempt) => (attempt === 0 ? key : `${key.slice(0, dot)}-${attempt}${key.slice(dot)}`);
}

/** Chunks of `size` bytes as a request delivers them. */
export async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const bytesOf = (text: string): Buffer => Buffer.from(text);
export const someBytes = (length: number): Buffer => randomBytes(length);

export async function beginUpload(store: MediaStore, key: MediaKey, bytes: Uint8Array): Promise<MediaUpload> {
  const upload = await store.begin({ candidate: named(key), contentType: 'text/plain' });
  await upload.write(chunksOf(bytes));
  return upload;
}

/** Stores a whole file, and gives the key that it got. */
export async function storeFile(store: MediaStore, key: MediaKey, bytes: Uint8Array): Promise<MediaKey> {
  const upload = await beginUpload(store, key, bytes);
  const published = await upload.publish();
  await upload.settle();
  return published;
}

/** The bytes of a file or a part; undefined when there is none. */
export async function bytesAt(
  store: MediaStore,
  key: MediaKey,
  range?: { start: number; end: number },
): Promise<Buffer | undefined> {
  const stream = await store.read(key, range);
  return stream === undefined ? undefined : buffer(stream);
}

export async function keysOf(store: MediaStore): Promise<readonly MediaKey[]> {
  const keys: MediaKey[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.sort();
}

/** Everything that a listing gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
