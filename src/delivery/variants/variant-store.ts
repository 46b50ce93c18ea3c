// The cache of rendered images: its interface, and a variant in memory. `disk-variants.ts` and `object-variants.ts` implement it.

import { Readable } from 'node:stream';
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
