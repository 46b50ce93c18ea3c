// What is fetched and how much of it is there, in whole lines: a log of CI shows them as a terminal does.
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTE = 1_000_000;
const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: MEGABYTE,
  GB: 1000 * MEGABYTE,
};
/** `Downloading a.whl (54.3 MB)` of pip, `Get:1 … [9,912 kB]` of apt. */
const SIZE = /^(?:\s*Downloading .*\(([\d.,]+) ([kKMG]?B)\)|Get:\d+ .*\[([\d.,]+) ([kKMG]?B)\])/;

const LOOK_EVERY_MS = 500;
/** Lines for the whole of what is fetched. */
const STEPS = 10;
/** Of what has no known size, and of work that fetches nothing. */
const TELL_EVERY_MS = 10_000;

/** Bytes of the file that the line of a program says it fetches; undefined for other lines. */
export function sizeIn(line: string): number | undefined {
  const [, size = '', unit = '', otherSize = size, otherUnit = unit] = SIZE.exec(line) ?? [];
  const number = Number((size || otherSize).replaceAll(',', ''));
  const factor = UNITS[unit || otherUnit];
  return factor === undefined || Number.isNaN(number) ? undefined : number * factor;
}

/** Makes the function that tells how much is there: a line for each tenth of a known size, else one for each ten seconds. */
export function createProgress(name: string, print: (line: string) => void) {
  let toldAt = 0;
  let toldSteps = 0;
  return ({
    bytes,
    total,
    ms,
  }: {
    readonly bytes: number;
    readonly total?: number | undefined;
    readonly ms: number;
  }) => {
    const steps = total === undefined ? 0 : Math.floor((STEPS * Math.min(bytes, total)) / total);
    const isDue = steps > toldSteps || ms - toldAt >= TELL_EVERY_MS;
    if (!isDue) return;
    toldSteps = steps;
    toldAt = ms;
    const megabytes = (number: number) => (number / MEGABYTE).toFixed(1);
    const much =
      total === undefined ? megabytes(bytes) : `${megabytes(Math.min(bytes, total))} of ${megabytes(total)}`;
    print(`${name}: ${much} MB, ${Math.round(ms / 1000)} s`);
  };
}

/** Names below a folder; none where a folder goes away meanwhile, as those do that npm moves to their places. */
function namesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

function bytesBelow(folder: string): number {
  let sum = 0;
  for (const name of namesBelow(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) sum += stats.size;
  }
  return sum;
}

interface Fetching {
  /** Of what is fetched. */
  readonly name: string;
  /** Where the program puts what it fetches, also while it fetches it. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program that fetches something, and tells of its progress. Rejects, with what it printed last, when it fails. */
export function runFetching(program: string, args: readonly string[], options: Fetching): Promise<void> {
  const { name, folder, env = {} } = options;
  const startedAt = performance.now();
  const tell = createProgress(name, console.log);
  let total: number | undefined;
  let printed = '';
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, ...env },
  });
  const read = (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-4000);
    for (const line of printed.split('\n')) total = sizeIn(line) ?? total;
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const timer = setInterval(() => {
    tell({ bytes: bytesBelow(folder), total, ms: performance.now() - startedAt });
  }, LOOK_EVERY_MS);
  return new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error(`${program} is needed for this and is not installed`)));
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${printed.trim()}`));
    });
  }).finally(() => clearInterval(timer));
}
