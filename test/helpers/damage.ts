// Damages a data file as a failing disk does: behind the back of whoever has it open.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

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
