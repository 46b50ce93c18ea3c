// The cache of rendered images: its interface, a variant in memory, and the form of a stored one. `disk-variants.ts` and
// `object-variants.ts` implement it.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isJsonObject } from '../../lib/json/json.ts';
import type { ByteRange } from '../../stores/media-store.ts';

/** What is kept beside the bytes of a variant. */
export interface VariantInfo {
  readonly contentType: string;
  /** Pixels; 0 where the variant is information about an image. */
  readonly width: number;
  readonly height: number;
  /** Name of the recipe; empty for a plain file. */
  readonly recipe: string;
  /** Path as requested, without the name of the route or recipe, in the form of `canonicalPath`: what a flush names. */
  readonly path: string;
  /** Which source and which file of it. */
  readonly source: string;
  /** Those that were in force, in the form of `canonicalSettings`, or ANY_SETTINGS. */
  readonly settings: string;
}

/** Settings of what a query string has no effect on. */
export const ANY_SETTINGS = '';

/** What a removal is about. */
export type VariantMatcher = 'all' | ((info: VariantInfo) => boolean);

/** Whether a removal means a variant; `info` is undefined for a damaged one, which goes with every removal. */
export const isMeant = (matches: VariantMatcher, info: VariantInfo | undefined): boolean =>
  matches === 'all' || info === undefined || matches(info);

export interface StoredVariant {
  readonly info: VariantInfo;
  /** Bytes. */
  readonly size: number;
  /** The whole body, where it is small. */
  readonly bytes: Buffer | undefined;
  /** The body or a part of it. Rejects with a `conflict` StoreError when the variant has gone meanwhile. The caller reads or destroys the stream. */
  open(range?: ByteRange): Promise<Readable>;
}

/** A cache: whatever goes wrong inside it is a miss, an entry that was not kept, or a line in the log. Nothing but a removal rejects. */
export interface VariantStore {
  /** `key`: 64 hexadecimal digits. */
  get(key: string): Promise<StoredVariant | undefined>;
  /** Keeps a variant. Whole or not at all, whatever happens meanwhile. */
  set(key: string, info: VariantInfo, body: Buffer): Promise<void>;
  /**
   * Removes what matches, also what is being written, and resolves with how many. Rejects with a StoreError where something could
   * not be read or removed: it may be found again.
   */
  remove(matches: VariantMatcher): Promise<number>;
  close(): Promise<void>;
}

/** A variant whose body is in memory. */
export function createMemoryVariant(info: VariantInfo, bytes: Buffer): StoredVariant {
  return {
    info,
    size: bytes.length,
    bytes,
    open: async (range) =>
      Readable.from([range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)]),
  };
}

/** A stored variant begins with what is known of it; its body follows. */
export interface VariantHead {
  readonly info: VariantInfo;
  /** Bytes of the body. */
  readonly size: number;
  /** SHA-256 of the body, in hexadecimal digits. */
  readonly hash: string;
  /** Where the body begins. */
  readonly offset: number;
}

const MAGIC = 'CLV1';
const PREFIX_BYTES = 8;
/** Of the head, prefix included: reading so many bytes from the start is always enough. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** Of a head, to be read first: nearly all are shorter. */
export const USUAL_HEAD_BYTES = 2048;
const MAX_TEXT = 16 * 1024;

export const bodyHash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');

/** The bytes of a variant; undefined where its path is too long to be kept. */
export function encodeVariant(info: VariantInfo, body: Buffer): readonly [Buffer, Buffer] | undefined {
  if ([info.path, info.source, info.settings].some((text) => text.length > MAX_TEXT)) return undefined;
  const text = Buffer.from(JSON.stringify({ info, size: body.length, hash: bodyHash(body) }));
  if (PREFIX_BYTES + text.length > MAX_HEAD_BYTES) return undefined;
  const head = Buffer.alloc(PREFIX_BYTES + text.length);
  head.write(MAGIC, 'latin1');
  head.writeUInt32BE(text.length, 4);
  text.copy(head, PREFIX_BYTES);
  return [head, body];
}

function parseInfo(raw: unknown): VariantInfo | undefined {
  if (!isJsonObject(raw)) return undefined;
  const { contentType, recipe, path, source, settings, width, height } = raw;
  const texts = [contentType, recipe, path, source, settings];
  const numbers = [width, height];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  if (!numbers.every((number) => Number.isSafeInteger(number))) return undefined;
  return raw as unknown as VariantInfo;
}

/** Reads the head from the first bytes of a variant. Undefined when they are damaged. */
export function decodeHead(start: Buffer): VariantHead | undefined {
  if (start.length < PREFIX_BYTES || start.toString('latin1', 0, 4) !== MAGIC) return undefined;
  const offset = PREFIX_BYTES + start.readUInt32BE(4);
  if (offset > start.length) return undefined;
  try {
    const head: unknown = JSON.parse(start.toString('utf8', PREFIX_BYTES, offset));
    if (!isJsonObject(head)) return undefined;
    const { size, hash } = head;
    const info = parseInfo(head['info']);
    if (info === undefined || typeof hash !== 'string') return undefined;
    return Number.isSafeInteger(size) ? { info, size: Number(size), hash, offset } : undefined;
  } catch {
    return undefined;
  }
}
