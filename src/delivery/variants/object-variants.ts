// Rendered images in a bucket, through the port of media stores. The bound on their size is kept roughly: by what this
// process has seen, oldest use first.
import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../../errors/errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import type { MediaKey, MediaStore } from '../../stores/media-store.ts';
import {
  bodyHash,
  createMemoryVariant,
  decodeHead,
  encodeVariant,
  isMeant,
  MAX_HEAD_BYTES,
  type StoredVariant,
  USUAL_HEAD_BYTES,
  type VariantHead,
  type VariantStore,
} from './variant-store.ts';

export interface ObjectVariantsOptions {
  /** A store of its own: everything in it counts as a variant. */
  readonly objects: MediaStore;
  readonly maxBytes: number;
  /** Told of failures: a cache goes on without them. */
  readonly onFailure: (error: unknown) => void;
}

/** Bodies up to this size are checked against their hash and handed out as a whole. */
const MAX_SMALL_BYTES = 256 * 1024;
const OURS = /^[0-9a-f]{2}\/([0-9a-f]{64})\.variant$/;

/** Objects that a removal reads at the same time. */
const MAX_CONCURRENT_READS = 16;

interface Listed {
  readonly key: MediaKey;
  readonly size: number;
}

const objectOf = (key: string): MediaKey => `${key.slice(0, 2)}/${key}.variant`;

/** Opens the cache. What is in the bucket is counted in the background. */
export function createObjectVariants({ objects, maxBytes, onFailure }: ObjectVariantsOptions): VariantStore {
  let failures = 0;
  const fail = (error: unknown) => {
    failures += 1;
    onFailure(error);
  };
  const pending = new Set<Promise<unknown>>();
  let closed = false;
  /** Number of removals so far. What was written during one may be what it is about: it is not kept. */
  let removals = 0;
  const track = (work: Promise<unknown>): Promise<unknown> => {
    const done: Promise<unknown> = work.catch(fail).then(() => pending.delete(done));
    pending.add(done);
    return done;
  };
  const sizes = new LRUCache<MediaKey, number>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes),
    dispose: (_bytes, object, reason) => {
      if (reason !== 'set') void track(objects.remove([object]));
    },
  });

  const count = async () => {
    const found: { readonly key: MediaKey; readonly size: number; readonly modifiedAt: number }[] = [];
    for await (const object of objects.list()) {
      if (closed) return;
      if (OURS.test(object.key)) found.push(object);
    }
    for (const { key, size } of found.sort((a, b) => a.modifiedAt - b.modifiedAt)) {
      if (!sizes.has(key)) sizes.set(key, size);
    }
  };
  void track(count());

  const headOf = async (object: MediaKey, size: number): Promise<VariantHead | undefined> => {
    const read = async (bytes: number) => {
      const end = Math.min(size, bytes) - 1;
      const stream = end < 0 ? undefined : await objects.read(object, { start: 0, end });
      return stream === undefined ? undefined : decodeHead(await buffer(stream));
    };
    const head = (await read(USUAL_HEAD_BYTES)) ?? (await read(MAX_HEAD_BYTES));
    return head !== undefined && head.offset + head.size === size ? head : undefined;
  };

  const whole = async (object: MediaKey, size: number): Promise<StoredVariant | undefined> => {
    const stream = await objects.read(object);
    const bytes = stream === undefined ? Buffer.alloc(0) : await buffer(stream);
    const head = decodeHead(bytes);
    if (head === undefined || bytes.length !== size) return undefined;
    const body = bytes.subarray(head.offset);
    if (body.length !== head.size || bodyHash(body) !== head.hash) return undefined;
    return createMemoryVariant(head.info, body);
  };

  const streamed = async (object: MediaKey, size: number): Promise<StoredVariant | undefined> => {
    const head = await headOf(object, size);
    if (head === undefined) return undefined;
    return {
      info: head.info,
      size: head.size,
      bytes: undefined,
      open: async (range) => {
        const start = head.offset + (range?.start ?? 0);
        const end = head.offset + (range?.end ?? head.size - 1);
        const stream = await objects.read(object, { start, end });
        if (stream === undefined) throw new StoreError('conflict', { store: 'media' });
        return stream;
      },
    };
  };

  return {
    async get(key) {
      const object = objectOf(key);
      try {
        const file = await objects.stat(object);
        if (file === undefined) return undefined;
        const load = file.size <= MAX_SMALL_BYTES + MAX_HEAD_BYTES ? whole : streamed;
        const variant = await load(object, file.size);
        if (variant === undefined) await objects.remove([object]);
        else sizes.set(object, file.size);
        return variant;
      } catch (error) {
        fail(error);
        return undefined;
      }
    },
    async set(key, info, body) {
      const object = objectOf(key);
      const pieces = encodeVariant(info, body);
      const size = (pieces?.[0].length ?? 0) + body.length;
      if (pieces === undefined || size > maxBytes) return;
      const removalsBefore = removals;
      try {
        const upload = await objects.begin({
          candidate: (attempt) => (attempt === 0 ? object : `${object}.${attempt}`),
          contentType: 'application/octet-stream',
        });
        try {
          await upload.write(
            (async function* () {
              yield* pieces;
            })(),
          );
          // Another server was first: its variant is the same.
          if ((await upload.publish()) !== object) await upload.discard();
          else await upload.settle();
        } catch (error) {
          await upload.discard().catch(fail);
          throw error;
        }
        sizes.set(object, size);
        if (removals !== removalsBefore) sizes.delete(object);
      } catch (error) {
        fail(error);
      }
    },
    async remove(matches) {
      removals += 1;
      const failuresBefore = failures;
      const gone: MediaKey[] = [];
      const look = async ({ key, size }: Listed) => {
        const head = matches === 'all' ? undefined : await headOf(key, size);
        if (isMeant(matches, head?.info)) gone.push(key);
      };
      try {
        const listed: Listed[] = [];
        for await (const object of objects.list()) if (OURS.test(object.key)) listed.push(object);
        await mapConcurrent(listed, MAX_CONCURRENT_READS, look);
      } catch (error) {
        fail(error);
      }
      for (const key of gone) if (!sizes.delete(key)) void track(objects.remove([key]));
      await Promise.all(pending);
      if (failures !== failuresBefore) throw new StoreError('unavailable', { store: 'media' });
      return gone.length;
    },
    async close() {
      closed = true;
      await Promise.all(pending);
      await objects.close();
    },
  };
}
