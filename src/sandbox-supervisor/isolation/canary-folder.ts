// The temporary folder of a self-test. It is removed at the end of the test or of the process; the next self-test removes
// the folders of killed processes.
import { chmodSync, mkdtempSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'cloister-self-test-';
const CANARY_FOLDER_NAME = /^cloister-self-test-(?:([1-9]\d{0,9})-(\d+)-)?\w{6}$/;
/** All that is ever in it. Nothing is removed recursively: the folder is open to all, who may have put links there. */
const NAMES = ['canary', 'new', 'socket'] as const;
const MAX_REMOVE_ATTEMPTS = 2;
/** A self-test takes seconds. A folder of this age is removed even if its process cannot be looked up. */
const MAX_AGE_MS = 10 * 60_000;

export interface CanaryFolder {
  readonly path: string;
  /** Path of what is, or will be, in it. */
  file(name: (typeof NAMES)[number]): string;
  remove(): void;
}

/** Containers may share a temporary folder, and have other processes under the same numbers. */
function processNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function removeFolder(path: string): void {
  // A host that is being killed may write once more between the two calls.
  for (let attempt = 0; attempt < MAX_REMOVE_ATTEMPTS; attempt += 1) {
    try {
      for (const name of NAMES) rmSync(join(path, name), { force: true });
      rmdirSync(path);
      return;
    } catch {
      // The next sweep tries again.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Makes the folder, open to all users of the machine: only walls are to protect what is in it. */
export function createCanaryFolder(parent: string): CanaryFolder {
  // At once, so that no exit of the process comes between the folder and its removal.
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-${processNamespace()}-`));
  const remove = () => {
    process.off('exit', remove);
    removeFolder(path);
  };
  process.once('exit', remove);
  chmodSync(path, 0o777);
  return { path, file: (name) => join(path, name), remove };
}

interface StaleFolderOptions {
  readonly parent: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Removes this user's folders whose process has ended. Never rejects. */
export async function removeStaleCanaryFolders({ parent, now }: StaleFolderOptions): Promise<void> {
  const namespace = processNamespace();
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const [matched, pid, itsNamespace] = CANARY_FOLDER_NAME.exec(name) ?? [];
    if (matched === undefined) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() !== true || stats.uid !== (process.geteuid?.() ?? stats.uid)) continue;
    const hasEnded = pid !== undefined && itsNamespace === namespace && !isRunning(Number(pid));
    if (hasEnded || now - stats.mtimeMs > MAX_AGE_MS) removeFolder(path);
  }
}
