// Coverage of the processes and threads that tests start, added to the coverage of the tests' own processes.
// Node writes it where NODE_V8_COVERAGE says, also for threads that are terminated; SIGKILL leaves none.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import v8 from '@vitest/coverage-v8';
import { type Node, parse } from 'acorn';

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
    Record<string, { readonly type: string; readonly loc: Location; readonly locations: readonly Location[] }>
  >;
  readonly s: Record<string, number>;
  readonly b: Record<string, number[]>;
}

interface CoverageMap {
  files(): readonly string[];
  fileCoverageFor(path: string): { readonly data: FileCoverage };
}

/** Offsets in a file. Types are stripped to spaces, so that places in the source are those of the code. */
interface Offsets {
  /** Where each line begins. */
  readonly lines: readonly number[];
  /** Where the body of each `if` begins, by the offset of the `if`. */
  readonly bodies: ReadonlyMap<number, number>;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

function findBodies(node: Node, bodies: Map<number, number>): void {
  const body: unknown = node.type === 'IfStatement' ? Reflect.get(node, 'consequent') : undefined;
  // Within the braces, where its own count begins.
  if (isNode(body)) bodies.set(node.start, body.start + (body.type === 'BlockStatement' ? 1 : 0));
  for (const child of Object.values(node).flat()) if (isNode(child)) findBodies(child, bodies);
}

/** Throws where the file is none of types that can be stripped. */
export function offsetsOf(file: string): Offsets {
  const text = readFileSync(file, 'utf8');
  const bodies = new Map<number, number>();
  findBodies(parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' }), bodies);
  return { lines: [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)], bodies };
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

/** Adds to `file` how often one process ran its statements and branches. */
export function addScript(file: FileCoverage, script: ScriptCoverage, { lines, bodies }: Offsets): void {
  const countAt = counter(script);
  const offsetOf = ({ start: { line, column = 0 } }: Location) =>
    line === undefined ? undefined : (lines[line - 1] ?? 0) + column;
  const count = (offset: number | undefined) => (offset === undefined ? undefined : countAt(offset));
  for (const [id, at] of Object.entries(file.statementMap))
    file.s[id] = (file.s[id] ?? 0) + (count(offsetOf(at)) ?? 0);
  for (const [id, { type, loc, locations }] of Object.entries(file.branchMap)) {
    const whole = count(offsetOf(loc)) ?? 0;
    const places = locations.map(offsetOf);
    // Istanbul has the whole statement in place of the body.
    if (type === 'if') places[0] = bodies.get(offsetOf(loc) ?? -1) ?? places[0];
    const taken = places.map(count);
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
  const offsets = new Map<string, Offsets>();
  for (const name of readdirSync(FOLDER)) {
    for (const script of readScripts(join(FOLDER, name))) {
      if (!script.url.startsWith(SOURCES)) continue;
      const path = fileURLToPath(script.url);
      const file = coverageOf(path);
      if (file === undefined) continue;
      const known = offsets.get(path) ?? offsetsOf(path);
      offsets.set(path, known);
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
