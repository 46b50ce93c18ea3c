// A user id for each host, where the server may change users.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** systemd, containers and distributions allocate no ids from here on. */
const FIRST_USER_ID = 0x70000000;
const USER_ID_COUNT = 0x10000;
/** Ranges of ids, of which each server uses one. */
const RANGE_COUNT = 0xfff;

const READ_BY_OTHERS = 0o004;
const EXECUTE_BY_OTHERS = 0o001;

function isReadableByAll(path: string): boolean {
  try {
    if ((statSync(path).mode & READ_BY_OTHERS) === 0) return false;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & EXECUTE_BY_OTHERS) === 0) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** Whether hosts may run as other users: the server is root, and other users can read what a host reads. */
export function canSwitchUser(files: readonly string[]): boolean {
  return process.getuid?.() === 0 && files.every(isReadableByAll);
}

/**
 * Allocates ids of users and groups in turn: the same id again after 65,536. `random` returns an integer below its argument, so
 * that two servers on one machine rarely share ids.
 */
export function createUserIdAllocator(random: (below: number) => number): () => number {
  const first = FIRST_USER_ID + USER_ID_COUNT * random(RANGE_COUNT);
  let next = 0;
  return () => first + (next++ % USER_ID_COUNT);
}
