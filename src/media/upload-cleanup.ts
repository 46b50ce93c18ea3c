// Cleans up interrupted uploads: files with a record are kept, all others removed. Also removes expired upload tokens.
import type { MediaStore, UnsettledUpload } from '../stores/media-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { removeExpiredTokens } from './used-upload-tokens.ts';

/** Milliseconds between two cleanups. */
const INTERVAL_MS = 600_000;
/** Milliseconds for which a used token is kept after its expiry: clocks of servers differ. */
const TOKEN_GRACE_MS = 3_600_000;

export interface UploadCleanupDeps {
  readonly store: Pick<MediaStore, 'unsettled' | 'pathOf'>;
  readonly documents: Pick<DocumentStore, 'find' | 'commit'>;
  /** Whether the collection of the key has a record with this `path`. */
  readonly hasRecord: (key: string, path: string, deadline: number) => Promise<boolean>;
  /** Longest duration of an upload, in milliseconds. Younger uploads may still be running. */
  readonly maxUploadMs: number;
  /** No other process uploads to the same store: uploads that began before this start are interrupted. */
  readonly isSole: boolean;
  /** Time limit of one query (`limits.queryMs`), in milliseconds. */
  readonly queryMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

export interface UploadCleanup {
  /** Cleans up now and every ten minutes. Never rejects. */
  start(): Promise<void>;
  /** Cleans up uploads that began before `before` (epoch milliseconds). Rejects with the first error. */
  run(before: number): Promise<void>;
  /** Waits for the running cleanup. */
  close(): Promise<void>;
}

export function createUploadCleanup(deps: UploadCleanupDeps): UploadCleanup {
  const { store, documents, hasRecord, maxUploadMs, isSole, queryMs, now, log } = deps;
  const startedAt = now();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();

  const end = async (upload: UnsettledUpload): Promise<'kept' | 'removed'> => {
    const { key } = upload;
    const isStored = key !== undefined && (await hasRecord(key, store.pathOf(key), now() + queryMs));
    if (isStored) await upload.settle();
    else await upload.discard();
    return isStored ? 'kept' : 'removed';
  };

  const run = async (before: number): Promise<void> => {
    const ended = { kept: 0, removed: 0 };
    for await (const upload of store.unsettled(before)) {
      if (isClosed) return;
      ended[await end(upload)] += 1;
    }
    if (ended.kept + ended.removed > 0) log.info(ended, 'interrupted uploads cleaned up');
    // An upload that began before the expiry may still be running.
    await removeExpiredTokens(documents, now() - maxUploadMs - TOKEN_GRACE_MS, () => now() + queryMs);
  };

  const attempt = async (before: number): Promise<void> => {
    await run(before).catch((error) => {
      log.warn({ err: error }, 'could not clean up interrupted uploads: next attempt in ten minutes');
    });
  };

  return {
    async start() {
      if (isClosed) return;
      timer = setInterval(() => {
        running = running.then(() => attempt(now() - maxUploadMs));
      }, INTERVAL_MS).unref();
      running = attempt(isSole ? startedAt : now() - maxUploadMs);
      await running;
    },
    run,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
