// Response cache on disk, one file per entry. The index is in memory: files of an earlier run are removed at the start.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type ChunkedText, MAX_JOINED_LENGTH, textByteLength, textChunks } from '../lib/chunked-text.ts';
import { makeFolder, OWNER_ONLY_MODE } from '../lib/files/file-operations.ts';
import type { CacheStore } from './ports.ts';

/** Names of complete and incomplete entries. Other files in the folder are never touched. */
const ENTRY_FILE = /^[0-9a-f]{64}\.entry/;

/** Entries contain data that not everyone may read: access for the owner only. */
const FOLDER_MODE = 0o700;

interface DiskCacheOptions {
  /** Created if missing. */
  readonly folder: string;
  /** Limit of all entries on disk. */
  readonly maxBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Entry {
  readonly bytes: number;
  readonly expiresAt: number;
}

const fileNameOf = (key: string) => `${createHash('sha256').update(key).digest('hex')}.entry`;

/** Reads the text of a file; a long one in pieces, so that decoding it does not block the event loop. */
async function readText(path: string, bytes: number): Promise<ChunkedText> {
  if (bytes <= MAX_JOINED_LENGTH) return readFile(path, 'utf8');
  const pieces: string[] = [];
  const file = createReadStream(path, { encoding: 'utf8', highWaterMark: MAX_JOINED_LENGTH });
  for await (const piece of file) pieces.push(piece);
  return pieces;
}

/** Opens an empty cache. Rejects if the folder cannot be created or read. */
export async function openDiskCache({ folder, maxBytes, now }: DiskCacheOptions): Promise<CacheStore> {
  await makeFolder(folder, FOLDER_MODE);
  let writes = 0;
  const pending = new Set<Promise<void>>();
  const remove = (name: string) => {
    // A file that cannot be removed is removed at the next start.
    const removal = rm(join(folder, name), { force: true }).catch(() => undefined);
    const done = removal.then(() => void pending.delete(done));
    pending.add(done);
  };
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (_entry, name, reason) => {
      if (reason !== 'set') remove(name);
    },
  });
  for (const name of await readdir(folder)) {
    if (ENTRY_FILE.test(name)) remove(name);
  }

  return {
    async get(key) {
      const name = fileNameOf(key);
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      if (now() >= entry.expiresAt) {
        entries.delete(name);
        return undefined;
      }
      return readText(join(folder, name), entry.bytes).catch(() => undefined);
    },
    async set(key, value, ttl) {
      const name = fileNameOf(key);
      const bytes = textByteLength(value) + 1;
      if (bytes > maxBytes) return;
      writes += 1;
      // Other processes may have the same folder.
      const draft = `${name}.${process.pid}.${writes}`;
      try {
        // Not flushed: entries are not used after a crash.
        await writeFile(join(folder, draft), textChunks(value), { mode: OWNER_ONLY_MODE });
        await rename(join(folder, draft), join(folder, name));
        entries.set(name, { bytes, expiresAt: now() + ttl });
      } catch {
        // A full disk loses the entry and does not fail the request.
        entries.delete(name);
        remove(draft);
      }
    },
    async clear() {
      entries.clear();
      await Promise.all(pending);
    },
    isReachable: () => true,
    async close() {
      await Promise.all(pending);
    },
  };
}
