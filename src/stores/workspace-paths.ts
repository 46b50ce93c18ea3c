// Where the texts of a workspace that is no folder on disk are: by their paths, with `/`.

/** Folders between `folder` and the text at `path`; undefined where it is not below that. */
function depthBelow(folder: string, path: string): number | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/').length - 1 : undefined;
}

/** Tells which texts are exactly `depth` folders below a folder. */
export const isAtDepth = (folder: string, depth: number) => (path: string) =>
  depthBelow(folder, path) === depth;

/** Tells which texts are at most `levels` folders below a folder. */
export const isWithinLevels = (folder: string, levels: number) => (path: string) => {
  const depth = depthBelow(folder, path);
  return depth !== undefined && depth <= levels;
};
