// A small disk in memory that a process of its own has to itself: to fill it up.
import { spawnSync } from 'node:child_process';

/** Gives a process mounts of its own (util-linux). */
const ALONE = 'unshare';

/** Runs `program` with a disk of so many megabytes at `path` that nobody else sees, and that goes with it. */
export function onSmallDisk(path: string, program: string, megabytes: number) {
  const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && shift && exec "$@"`;
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const node = [process.execPath, '--input-type=module', '-e', program, path];
  return spawnSync(ALONE, [...user, '--mount', 'sh', '-c', mount, 'sh', path, ...node], { encoding: 'utf8' });
}

/** Absent on some machines: said aloud, and a failure where everything must run. */
export function canMakeSmallDisk(): boolean {
  if (onSmallDisk('/mnt', '', 1).status === 0) return true;
  const missing = 'no small disk can be made here (unshare, mount)';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}: a full disk is not tested ***\n`);
  return false;
}
