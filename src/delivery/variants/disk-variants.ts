// Rendered images as files in one folder, one a variant. They survive a restart: the folder is read when the cache opens.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../../errors/errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import { isFileMissing, makeFolder, OWNER_ONLY_MODE } from '../../lib/files/file-operations.ts';
import type { ByteRange } from '../../stores/media-store.ts';
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
  type VariantInfo,
  type VariantStore,
} from './variant-store.ts';

export interface DiskVariantsOptions {
  /** Created when missing. */
  readonly folder: string;
  /** What all variants together may take on disk. */
  readonly maxBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Bodies up to this size are handed out, and kept, as a whole. */
const MAX_SMALL_BYTES = 256 * 1024;
const MAX_MEMORY_BYTES = 16 * 1024 * 1024;
/** Files take whole blocks; an empty one is counted, too. */
const BLOCK_BYTES = 4096;
const FOLDER_MODE = 0o700;
/** How often a use is written down for the order of the next start. */
const TOUCH_MS = 3_600_000;
const OURS = /^[0-9a-f]{64}\.variant$/;
const DRAFT = /^[0-9a-f]{64}\.variant\.[0-9a-f-]+$/;

interface Entry {
  readonly bytes: number;
  /** Whether the body was compared with its hash since this process began, or was written by it. */
  readonly isVerified: boolean;
  readonly touchedAt: number;
}

const onDisk = (bytes: number) => Math.ceil((bytes + 1) / BLOCK_BYTES) * BLOCK_BYTES;
const nameOf = (key: string) => `${key}.variant`;
const ignore = () => undefined;

/** Files that a removal reads at the same time. */
const MAX_CONCURRENT_READS = 16;

async function readHead(file: FileHandle): Promise<VariantHead | undefined> {
  const read = async (bytes: number) => {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, 0);
    return decodeHead(buffer.subarray(0, bytesRead));
  };
  return (await read(USUAL_HEAD_BYTES)) ?? read(MAX_HEAD_BYTES);
}

async function readInfo(path: string): Promise<VariantInfo | undefined> {
  const file = await open(path, 'r').catch(ignore);
  const head = file === undefined ? undefined : await readHead(file).catch(ignore);
  await file?.close().catch(ignore);
  return head?.info;
}

async function hashOfFile(path: string, offset: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { start: offset })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function readBody(file: FileHandle, { size, offset }: VariantHead): Promise<Buffer> {
  const body = Buffer.allocUnsafe(size);
  const { bytesRead } = await file.read(body, 0, size, offset);
  return body.subarray(0, bytesRead);
}

/**
 * Opens the cache. What earlier runs left is counted in the background, oldest first, and can be read meanwhile. Rejects
 * when the folder cannot be made.
 */
export async function openDiskVariants({
  folder,
  maxBytes,
  now,
}: DiskVariantsOptions): Promise<VariantStore> {
  await makeFolder(folder, FOLDER_MODE);
  let drafts = 0;
  let closed = false;
  /** Number of removals so far. What was read or written during one may be what it is about: it is not kept. */
  let removals = 0;
  // Other processes may have the same folder.
  const run = `${now().toString(16)}-${process.pid.toString(16)}`;
  // Drafts of this run may be on their way.
  const isLeftOver = (name: string) => DRAFT.test(name) && !name.includes(`.variant.${run}-`);
  const pathOf = (name: string) => join(folder, name);
  const pending = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done: Promise<unknown> = work.then(ignore, ignore).then(() => pending.delete(done));
    pending.add(done);
    return work;
  };
  let failures = 0;
  const fail = () => {
    failures += 1;
  };
  /** A file that cannot be removed is counted again at the next start. */
  const removeFile = (name: string) => void track(rm(pathOf(name), { force: true }).catch(fail));
  const small = new LRUCache<string, { readonly info: VariantInfo; readonly bytes: Buffer }>({
    maxSize: MAX_MEMORY_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + BLOCK_BYTES,
  });
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (_entry, name, reason) => {
      if (reason === 'set') return;
      small.delete(name);
      removeFile(name);
    },
  });

  /** Whoever removes the whole folder empties the cache, and does not end it. */
  const write = async (draft: string, pieces: readonly Buffer[]) => {
    try {
      await writeFile(draft, pieces, { mode: OWNER_ONLY_MODE });
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      await makeFolder(folder, FOLDER_MODE);
      await writeFile(draft, pieces, { mode: OWNER_ONLY_MODE });
    }
  };

  const scan = async () => {
    const found: { readonly name: string; readonly bytes: number; readonly usedAt: number }[] = [];
    for (const name of await readdir(folder)) {
      if (closed) return;
      if (isLeftOver(name)) await rm(pathOf(name), { force: true }).catch(ignore);
      if (!OURS.test(name)) continue;
      const file = await stat(pathOf(name)).catch(ignore);
      if (file?.isFile()) found.push({ name, bytes: onDisk(file.size), usedAt: file.mtimeMs });
    }
    for (const { name, bytes, usedAt } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      if (!entries.has(name)) entries.set(name, { bytes, isVerified: false, touchedAt: usedAt });
    }
  };
  const scanned = track(scan().catch(ignore));

  const drop = (name: string) => {
    small.delete(name);
    if (!entries.delete(name)) removeFile(name);
  };

  /** Drops an entry, and waits until its file has gone. */
  const removed = async (name: string) => {
    drop(name);
    await Promise.all(pending);
  };

  /** Remembers the use of an entry. */
  const touch = (name: string, bytes: number, isVerified: boolean) => {
    const known = entries.get(name);
    const at = now();
    const isDue = known === undefined || at - known.touchedAt > TOUCH_MS;
    if (isDue) void track(utimes(pathOf(name), at / 1000, at / 1000).catch(ignore));
    const verified = isVerified || (known?.isVerified ?? false);
    if (!isDue && known.isVerified === verified) return;
    entries.set(name, { bytes, isVerified: verified, touchedAt: isDue ? at : known.touchedAt });
  };

  const streamOf = (name: string, head: VariantHead) => async (range?: ByteRange) => {
    const file = await open(pathOf(name), 'r').catch((cause: unknown) => {
      throw new StoreError('conflict', { store: 'media', cause });
    });
    const start = head.offset + (range?.start ?? 0);
    const end = head.offset + (range === undefined ? head.size - 1 : range.end);
    return file.createReadStream({ start, end });
  };

  /** Undefined when the file is damaged. */
  const load = async (
    file: FileHandle,
    name: string,
    removalsBefore: number,
  ): Promise<StoredVariant | undefined> => {
    const head = await readHead(file);
    const { size } = await file.stat();
    if (head === undefined || size !== head.offset + head.size) return undefined;
    const bytes = onDisk(size);
    if (head.size <= MAX_SMALL_BYTES) {
      const body = await readBody(file, head);
      if (bodyHash(body) !== head.hash) return undefined;
      if (removals === removalsBefore) {
        touch(name, bytes, true);
        small.set(name, { info: head.info, bytes: body });
      }
      return createMemoryVariant(head.info, body);
    }
    const isVerified = entries.peek(name)?.isVerified ?? false;
    if (!isVerified && (await hashOfFile(pathOf(name), head.offset)) !== head.hash) return undefined;
    if (removals === removalsBefore) touch(name, bytes, true);
    return { info: head.info, size: head.size, bytes: undefined, open: streamOf(name, head) };
  };

  return {
    async get(key) {
      const name = nameOf(key);
      const inMemory = small.get(name);
      if (inMemory !== undefined) {
        touch(name, entries.peek(name)?.bytes ?? onDisk(inMemory.bytes.length), true);
        return createMemoryVariant(inMemory.info, inMemory.bytes);
      }
      const removalsBefore = removals;
      const file = await open(pathOf(name), 'r').catch(ignore);
      if (file === undefined) return undefined;
      const variant = await load(file, name, removalsBefore).catch(ignore);
      await file.close().catch(ignore);
      if (variant === undefined) drop(name);
      return variant;
    },
    async set(key, info, body) {
      const name = nameOf(key);
      const pieces = encodeVariant(info, body);
      if (pieces === undefined) return;
      const bytes = onDisk(pieces[0].length + body.length);
      if (bytes > maxBytes) return;
      drafts += 1;
      const draft = pathOf(`${name}.${run}-${drafts.toString(16)}`);
      const removalsBefore = removals;
      try {
        // Never flushed: a file that a crash left incomplete does not match its hash.
        await track(write(draft, pieces));
        await track(rename(draft, pathOf(name)));
        small.delete(name);
        entries.set(name, { bytes, isVerified: true, touchedAt: now() });
        if (removals !== removalsBefore) await removed(name);
      } catch {
        // A full disk costs the entry, not the answer.
        await rm(draft, { force: true }).catch(ignore);
      }
    },
    async remove(matches) {
      removals += 1;
      const failuresBefore = failures;
      const listed = await readdir(folder).catch((error: unknown) => {
        if (!isFileMissing(error)) fail();
        return [];
      });
      const names = listed.filter((name) => OURS.test(name));
      // Somebody may have removed files of which the bodies are in memory.
      const inMemory = [...small.entries()].flatMap(([name, { info }]) =>
        isMeant(matches, info) ? [name] : [],
      );
      const gone = new Set(matches === 'all' ? [...inMemory, ...entries.keys(), ...names] : inMemory);
      const unread = names.filter((name) => !gone.has(name) && !small.has(name));
      await mapConcurrent(unread, MAX_CONCURRENT_READS, async (name) => {
        if (isMeant(matches, await readInfo(pathOf(name)))) gone.add(name);
      });
      for (const name of gone) drop(name);
      await Promise.all(pending);
      if (failures !== failuresBefore) throw new StoreError('unavailable', { store: 'media' });
      return gone.size;
    },
    async close() {
      closed = true;
      await scanned;
      await Promise.all(pending);
    },
  };
}
