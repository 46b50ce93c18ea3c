// Programs of the machine that isolate hosts. None of them is required.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const TOOL_NAMES = ['sh', 'env', 'setpriv', 'bwrap'] as const;

/** Absolute paths of the installed ones. */
export type SystemTools = Readonly<Partial<Record<(typeof TOOL_NAMES)[number], string>>>;

/** Fixed, not PATH: the environment of the server must not decide what isolates hosts. */
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

/** Finds the first program of each name in these folders; none on Windows. */
export function findSystemTools(folders: readonly string[] = TOOL_FOLDERS): SystemTools {
  if (process.platform === 'win32') return {};
  return Object.fromEntries(
    TOOL_NAMES.flatMap((name) => {
      const path = folders.map((folder) => join(folder, name)).find(executable);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}
