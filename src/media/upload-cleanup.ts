// Ends uploads whose process did not: what has a record stays, everything else goes. Also forgets used tokens that have
// expired.
import type { MediaStore, UnsettledUpload } from '../stores/media-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { removeExpiredTokens } from './used-upload-tokens.ts';

/** Milliseconds between two sweeps. */
const INTERVAL_MS = 600_000;
/** Milliseconds for which a used token outlives its expiry: clocks of several servers differ. */
const GRACE_MS = 3_600_000;

export interface UploadCleanupDeps {
  readonly store: Pick<MediaStore, 'unsettled' | 'pathOf'>;
  readonly documents: Pick<DocumentStore, 'find' | 'commit'>;
  /** Is there a record with this `path`, in the collection that the key is below? */
  readonly hasRecord: (key: string, path: string, deadline: number) => Promise<boolean>;
  /** Milliseconds for which an upload may be unsettled because it is still going on. */
  readonly maxUploadMs: number;
  /** No other process uploads to the same store: what was begun before this start is dead. */
  readonly isOnlyProcess: boolean;
  /** Milliseconds of database work for each question (`limits.queryMs`). */
  readonly queryMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

export interface UploadCleanup {
  /** Sweeps now, and from then on every ten minutes. Never rejects. */
  start(): Promise<void>;
  /** Ends uploads begun before `before` (epoch milliseconds). Rejects with the first failure. */
  run(before: number): Promise<void>;
  /** Waits for the one in hand. */
  close(): Promise<void>;
}

export function createUploadCleanup(deps: UploadCleanupDeps): UploadCleanup {
  const {
    store,
    documents,
    hasRecord,
    maxUploadMs: livesMs,
    isOnlyProcess: isAlone,
    queryMs,
    now,
    log,
  } = deps;
  const bornAt = now();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let inHand: Promise<void> = Promise.resolve();

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
    // An upload that began in time may still be going on.
    await removeExpiredTokens(documents, now() - livesMs - GRACE_MS, () => now() + queryMs);
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
        inHand = inHand.then(() => attempt(now() - livesMs));
      }, INTERVAL_MS).unref();
      inHand = attempt(isAlone ? bornAt : now() - livesMs);
      await inHand;
    },
    run,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await inHand;
    },
  };
}
