// How the file system says that nothing is there.

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** True for the error of a file operation on a path that leads to nothing. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.has(error.code);
}
