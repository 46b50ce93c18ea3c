// Folders that go when the test is over, a disk that is soon full, and damage to files as a failing disk does it.

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'cloister-folder-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Names of all files below a folder, relative to it. */
export function filesBelow(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
}

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

export interface Damage {
  /** The same seed gives the same damage. */
  readonly seed: number;
  readonly count: number;
  /** Bytes before this one are left alone. */
  readonly from?: number;
}

const PAGE = 4096;

/** In a process of its own: a file that this one closes loses the locks that SQLite has on it. */
const PATCH = `
  const { closeSync, openSync, readFileSync, writeSync } = require('node:fs');
  const [file, patches] = JSON.parse(readFileSync(0, 'utf8'));
  const fd = openSync(file, 'r+');
  for (const [at, hex] of patches) writeSync(fd, Buffer.from(hex, 'hex'), 0, hex.length / 2, at);
  closeSync(fd);
`;

function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function patch(file: string, length: number, { seed, count, from = 0 }: Damage): void {
  const random = createRandom(seed);
  const places = Math.floor((statSync(file).size - from) / length);
  const bytes = () => Buffer.from(Array.from({ length }, () => random(256))).toString('hex');
  const patches = Array.from({ length: count }, () => [from + random(places) * length, bytes()]);
  const { status, stderr } = spawnSync(process.execPath, ['-e', PATCH], {
    input: JSON.stringify([file, patches]),
  });
  if (status !== 0) throw new Error(String(stderr));
}

/** Overwrites whole pages with chance. */
export const damagePages = (file: string, damage: Damage): void => patch(file, PAGE, damage);

/** Overwrites single bytes with chance. */
export const damageBytes = (file: string, damage: Damage): void => patch(file, 1, damage);
