// Copies the files of one media store to another, for operators who move from disk to a bucket or back.
import { addAbortSignal } from 'node:stream';
import { isStoreUnavailable, StoreError } from '../errors/errors.ts';
import type { MediaKey, MediaStore, StoredFile } from '../stores/media-store.ts';

/** Files that are copied at the same time. A bucket keeps up to two parts of 8 MiB of each in memory. */
const MAX_AT_ONCE = 4;

type ListedFile = StoredFile & { readonly key: MediaKey };

export interface CopyState {
  readonly copied: number;
  /** Files that were there already, with the same number of bytes. */
  readonly same: number;
  readonly failed: number;
  /** Bytes of the files that are done, however they ended. */
  readonly bytes: number;
}

export interface CopyFilesDeps {
  readonly source: Pick<MediaStore, 'list' | 'read'>;
  readonly target: Pick<MediaStore, 'stat' | 'begin'>;
  /** The media type of a file, for stores that keep it beside the bytes. */
  readonly contentTypeOf: (key: MediaKey) => Promise<string>;
  readonly signal: AbortSignal;
  readonly onProgress: (state: CopyState) => void;
  /** Hears of each file that is not copied, with the reason in words for the operator. */
  readonly onFailure: (key: MediaKey, reason: string) => void;
}

/** Why one file was not copied, while the others may be. */
class FileFailure extends Error {}

const differs = (there: number, here: number) =>
  new FileFailure(`another file of this name is there: it has ${there} bytes, not ${here}`);

/** What the operator should read about a failure; undefined where nothing more can be copied. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof FileFailure) return error.message;
  const isAway: boolean = isStoreUnavailable(error);
  if (error instanceof StoreError && !isAway) return error.explanation ?? error.reason;
  return undefined;
}

async function copyFile({ key, size }: ListedFile, deps: CopyFilesDeps): Promise<'copied' | 'same' | 'gone'> {
  const { source, target, contentTypeOf } = deps;
  const there = await target.stat(key);
  if (there !== undefined) {
    if (there.size !== size) throw differs(there.size, size);
    return 'same';
  }
  const bytes = await source.read(key);
  // Removed since it was listed.
  if (bytes === undefined) return 'gone';
  addAbortSignal(deps.signal, bytes);
  const candidate = (attempt: number) => {
    if (attempt > 0) throw new FileFailure('another file has got this name meanwhile');
    return key;
  };
  const upload = await contentTypeOf(key)
    .then((contentType) => target.begin({ candidate, contentType }))
    .catch((error: unknown) => {
      bytes.destroy();
      throw error;
    });
  try {
    const written = await upload.write(bytes);
    if (written !== size) throw new FileFailure(`the file changed: ${written} bytes of ${size} came`);
    await upload.publish();
    await upload.settle();
  } catch (error) {
    bytes.destroy();
    await upload.discard();
    throw causeOf(error);
  }
  // Until it was settled, the cleanup of a server that uses the target may have taken it for the rest of a crash.
  if ((await target.stat(key))?.size !== size) throw new FileFailure('it was removed again: repeat the copy');
  return 'copied';
}

/** A store wraps what `candidate` throws. */
function causeOf(error: unknown): unknown {
  return error instanceof StoreError && error.cause instanceof FileFailure ? error.cause : error;
}

/**
 * Copies every file that the target does not have. Never overwrites; may be repeated. A file that cannot be copied is told to
 * `onFailure`, and the others go on. Rejects when a store is away or `signal` is aborted.
 */
export async function copyFiles(deps: CopyFilesDeps): Promise<CopyState> {
  let state: CopyState = { copied: 0, same: 0, failed: 0, bytes: 0 };
  const files = deps.source.list()[Symbol.asyncIterator]();
  let ended = false;
  /** Listings give one file at a time, whoever asks. */
  let next: Promise<unknown> = Promise.resolve();
  const take = (): Promise<ListedFile | undefined> => {
    const taken = next.then(async () => {
      if (ended) return undefined;
      const { value, done } = await files.next();
      return done === true ? undefined : value;
    });
    next = taken.catch(() => undefined);
    return taken;
  };
  const count = (change: Partial<CopyState>, size: number) => {
    state = { ...state, ...change, bytes: state.bytes + size };
    deps.onProgress(state);
  };
  const work = async () => {
    for (let file = await take(); file !== undefined; file = await take()) {
      deps.signal.throwIfAborted();
      try {
        const outcome = await copyFile(file, deps);
        count(outcome === 'gone' ? {} : { [outcome]: state[outcome] + 1 }, file.size);
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === undefined) throw error;
        deps.onFailure(file.key, reason);
        count({ failed: state.failed + 1 }, file.size);
      }
    }
  };
  const results = await Promise.allSettled(
    Array.from({ length: MAX_AT_ONCE }, async () => {
      try {
        await work();
      } catch (error) {
        ended = true;
        throw error;
      }
    }),
  );
  await files.return?.();
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return state;
}
