// The last resort where a file was opened and forgotten: Node closes it in a garbage collection, and throws an error that nobody can
// catch. A defect of one request must not end the others, so exactly this error is counted instead.

interface ExceptionSource {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
}

export interface LeakedFileOptions {
  /** Hears of each forgotten file. */
  readonly onLeak: (error: Error) => void;
  /** Is to end the process, as any other uncaught error would: what it has left undone is unknown. */
  readonly onOther: (error: unknown) => never;
}

const LEAK = /^A FileHandle object was closed during garbage collection/;

/** True for the error that Node throws when it has closed a file nobody refers to any more. */
export function isLeakedFileError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_INVALID_STATE' && LEAK.test(error.message);
}

/** Listens for uncaught errors of a process. Returns the function that tells how many files were forgotten since. */
export function countLeakedFiles(
  source: ExceptionSource,
  { onLeak, onOther }: LeakedFileOptions,
): () => number {
  let count = 0;
  source.on('uncaughtException', (error) => {
    if (!isLeakedFileError(error)) onOther(error);
    count += 1;
    onLeak(error as Error);
  });
  return () => count;
}
