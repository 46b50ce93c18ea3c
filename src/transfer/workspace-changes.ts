// What `cloister workspace push` and `pull` would change on one side to make it like the other.

/** Paths of texts, sorted. */
export interface WorkspaceDifference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Only on the side that is written. */
  readonly surplus: readonly string[];
  /** The same on both sides. */
  readonly equal: readonly string[];
}

/** Compares two sides, each with a hash or text by path: `from` is read, `to` is written. */
export function compareWorkspaces(
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): WorkspaceDifference {
  const paths = [...from.keys()].sort();
  return {
    added: paths.filter((path) => !to.has(path)),
    changed: paths.filter((path) => to.has(path) && to.get(path) !== from.get(path)),
    surplus: [...to.keys()].filter((path) => !from.has(path)).sort(),
    equal: paths.filter((path) => to.get(path) === from.get(path)),
  };
}

/** True where a path of the database is one below the folder that it is written to, and nowhere else. */
export function isInsidePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part));
}
