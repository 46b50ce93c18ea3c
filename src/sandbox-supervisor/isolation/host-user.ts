// A user of its own for each host, where the server may change users.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** From here on, systemd, containers and distributions give out no ids. */
const FIRST_USER_ID = 0x70000000;
const USER_ID_COUNT = 0x10000;
const SERVERS = 0xfff;

const READ = 0o004;
const ENTER = 0o001;

function readableByAll(path: string): boolean {
  try {
    if ((statSync(path).mode & READ) === 0) return false;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & ENTER) === 0) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** Whether hosts may run as strangers: the server is root, and a stranger can read what a host reads. */
export function canSwitchUser(files: readonly string[]): boolean {
  return process.getuid?.() === 0 && files.every(readableByAll);
}

/**
 * Ids of users and groups in turn, each other than the 65,535 before it. `random` gives a whole number below its argument:
 * two servers on one machine shall not share ids.
 */
export function createUserIdAllocator(random: (below: number) => number): () => number {
  const first = FIRST_USER_ID + USER_ID_COUNT * random(SERVERS);
  let next = 0;
  return () => first + (next++ % USER_ID_COUNT);
}
