// Coverage of the processes and threads that tests start, added to the coverage of the tests' own processes.
// Node writes it where NODE_V8_COVERAGE says, also for threads that are terminated; SIGKILL leaves none.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from '@vitest/coverage-v8';

const FOLDER = join(import.meta.dirname, '..', '.cache', 'process-coverage');
const SOURCES = pathToFileURL(join(import.meta.dirname, '..', 'src/')).href;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

interface Place {
  readonly line?: number;
  readonly column?: number;
}

interface Location {
  readonly start: Place;
}

/** Coverage of one file as Istanbul has it: `s` and `b` count statements and branches. */
interface FileCoverage {
  readonly statementMap: Readonly<Record<string, Location>>;
  readonly branchMap: Readonly<
    Record<string, { readonly loc: Location; readonly locations: readonly Location[] }>
  >;
  readonly s: Record<string, number>;
  readonly b: Record<string, number[]>;
}

interface CoverageMap {
  files(): readonly string[];
  fileCoverageFor(path: string): { readonly data: FileCoverage };
}

/** Where each line of a file begins. Types are stripped to spaces, so that places in the source are those of the code. */
function lineStarts(file: string): readonly number[] {
  const starts = [0];
  for (const { index } of readFileSync(file, 'utf8').matchAll(/\n/g)) starts.push(index + 1);
  return starts;
}

/** How often the code at each offset ran: the count of the smallest range around it. */
function counter({ functions }: ScriptCoverage): (offset: number) => number {
  const ranges = functions.flatMap((one) => one.ranges);
  const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset;
  return (offset) =>
    ranges
      .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
      .reduce<Range | undefined>((best, one) => (best && size(best) < size(one) ? best : one), undefined)
      ?.count ?? 0;
}

function addScript(file: FileCoverage, script: ScriptCoverage, starts: readonly number[]): void {
  const countAt = counter(script);
  const offsetOf = ({ line, column = 0 }: Place) =>
    line === undefined ? undefined : (starts[line - 1] ?? 0) + column;
  const count = ({ start }: Location) => {
    const offset = offsetOf(start);
    return offset === undefined ? undefined : countAt(offset);
  };
  for (const [id, at] of Object.entries(file.statementMap)) file.s[id] = (file.s[id] ?? 0) + (count(at) ?? 0);
  for (const [id, { loc, locations }] of Object.entries(file.branchMap)) {
    const taken = locations.map(count);
    const whole = count(loc) ?? 0;
    const told = taken.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    // The branch that is not written (`if` without `else`) has no place: it is what the others leave.
    file.b[id] = taken.map((one, at) => (file.b[id]?.[at] ?? 0) + (one ?? Math.max(0, whole - told)));
  }
}

/** What a process has written; nothing of one that was killed while it wrote: its text ends in the middle. */
function readScripts(path: string): readonly ScriptCoverage[] {
  const text = readFileSync(path, 'utf8');
  try {
    return (JSON.parse(text) as { result: ScriptCoverage[] }).result;
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** `coverageOf` gives the coverage of a file, which is changed; undefined for one that is not measured. */
function addProcesses(coverageOf: (path: string) => FileCoverage | undefined): void {
  const starts = new Map<string, readonly number[]>();
  for (const name of readdirSync(FOLDER)) {
    for (const script of readScripts(join(FOLDER, name))) {
      if (!script.url.startsWith(SOURCES)) continue;
      const path = fileURLToPath(script.url);
      const file = coverageOf(path);
      if (file === undefined) continue;
      const known = starts.get(path) ?? lineStarts(path);
      starts.set(path, known);
      addScript(file, script, known);
    }
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export
export default {
  ...v8,
  startCoverage(options: { isolate: boolean }) {
    // Read by processes and threads when they start: not by this one, which has started.
    process.env['NODE_V8_COVERAGE'] = FOLDER;
    return v8.startCoverage?.(options);
  },
  async getProvider() {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    const provider = await v8.getProvider();
    const generate = provider.generateCoverage.bind(provider);
    provider.generateCoverage = async (context) => {
      const map = (await generate(context)) as CoverageMap;
      const files = new Set(map.files());
      addProcesses((path) =>
        files.has(path) ? (map.fileCoverageFor(path).data as FileCoverage) : undefined,
      );
      return map;
    };
    return provider;
  },
};
