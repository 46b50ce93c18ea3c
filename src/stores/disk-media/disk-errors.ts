// Maps errors of the file system to a StoreError for the caller and to a rate-limited log line for the operator.
import { StoreError } from '../../errors/errors.ts';
import { createLogThrottle, type Logger } from '../../lib/logger.ts';
import type { TranslateError } from '../media-operations.ts';

type Fault = 'full' | 'access' | 'removed' | 'disk' | 'descriptors' | 'memory' | 'unexpected';

const FAULTS: ReadonlyMap<unknown, Fault> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EACCES', 'access'],
  ['EPERM', 'access'],
  ['EROFS', 'access'],
  ['ENOTDIR', 'access'],
  ['ENOENT', 'removed'],
  ['EIO', 'disk'],
  ['ESTALE', 'disk'],
  ['ENXIO', 'disk'],
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOMEM', 'memory'],
]);

const MESSAGES: Readonly<Record<Fault, string>> = {
  full: 'the disk of the media folder is full: uploads are answered with 503 until there is room',
  access: 'the media folder cannot be read or written: look at the owner and mode of `media.basePath`',
  removed: 'the media folder, or files in it, were removed during an upload',
  disk: 'the disk of the media folder fails: affected requests are answered with 503',
  descriptors: 'too many files are open: raise the limit of open files (`ulimit -n`)',
  memory: 'there is not enough memory for media files',
  unexpected: 'the media folder failed',
};

const EVERY_MS = 60_000;

/** The code of an error of the operating system, such as `ENOENT`; undefined for any other value. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Creates the translation of errors. Each kind is logged once a minute; `now` is in milliseconds. */
export function createDiskErrorTranslator(log: Pick<Logger, 'error'>, now: () => number): TranslateError {
  const limit = createLogThrottle({ everyMs: EVERY_MS, now });
  return (error) => {
    if (error instanceof StoreError) return error;
    const fault = FAULTS.get(errorCodeOf(error)) ?? 'unexpected';
    const line = limit(fault);
    if (line !== undefined) {
      const detail = error instanceof Error ? error.message : String(error);
      const fields = fault === 'unexpected' ? { err: error } : { detail };
      log.error({ fault, ...fields, ...line }, MESSAGES[fault]);
    }
    return new StoreError('unavailable', { store: 'media', cause: error });
  };
}
