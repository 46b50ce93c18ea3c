// Programs of the machine that help to build walls. None of them is needed.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const TOOL_NAMES = ['sh', 'env', 'setpriv', 'bwrap'] as const;

/** Absolute paths of those that are there. */
export type SystemTools = Readonly<Partial<Record<(typeof TOOL_NAMES)[number], string>>>;

/** Fixed, not PATH: who can set the environment of the server shall not choose its walls. */
const TOOL_FOLDERS = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
];

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first of each name in these folders; none on Windows. */
export function findSystemTools(folders: readonly string[] = TOOL_FOLDERS): SystemTools {
  if (process.platform === 'win32') return {};
  return Object.fromEntries(
    TOOL_NAMES.flatMap((name) => {
      const path = folders.map((folder) => join(folder, name)).find(executable);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}
