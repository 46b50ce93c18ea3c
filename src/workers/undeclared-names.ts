// Finds names that posted code assigns to without declaring them, on a worker thread: parsing hostile text may take any time, or
// all memory of its thread. The code is parsed, never run.
import { lazyPackage } from '../lib/files/lazy-package.ts';
import { createWorkerPool } from './worker-pool.ts';

// For the thread alone: this file is its task too.
const acorn = lazyPackage<typeof import('acorn')>('acorn');
const eslintScope = lazyPackage<typeof import('eslint-scope')>('eslint-scope');

/** A name with the line of its first assignment, from 1. */
export interface UndeclaredName {
  readonly name: string;
  readonly line: number;
}

const MAX_NAMES = 20;
// The parameters of a module, which it may assign to.
const PARAMETERS: ReadonlySet<string> = new Set([
  ...['module', 'exports', 'require', 'console', 'Model', 'fetch', 'crypto', 'Math', 'queueMicrotask'],
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
]);

function parseBody(source: string) {
  return acorn().parse(source, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    allowReturnOutsideFunction: true,
    allowHashBang: true,
    locations: true,
    // The analysis uses them to recognize the parameters of a function.
    ranges: true,
  });
}

function namesIn(source: string): ReadonlyMap<string, number> {
  const { analyze } = eslintScope();
  const program = parseBody(source) as Parameters<typeof analyze>[0];
  const { globalScope } = analyze(program, { ecmaVersion: 2024, sourceType: 'script' });
  const first = new Map<string, number>();
  for (const reference of globalScope?.through ?? []) {
    const { name, loc } = reference.identifier;
    if (!reference.isWrite() || PARAMETERS.has(name) || first.has(name)) continue;
    first.set(name, loc?.start.line ?? 1);
    if (first.size === MAX_NAMES) break;
  }
  return first;
}

/** At most 20 names in the order of the text. None for code that cannot be parsed or nests too deep. */
export function findUndeclaredNames(source: string): readonly UndeclaredName[] {
  try {
    return [...namesIn(source)].map(([name, line]) => ({ name, line }));
  } catch {
    return [];
  }
}

/** The first text of a server also waits for the thread, and for what it loads: on a busy machine for more than a second. */
const TIMEOUT_MS = 5000;
const HEAP_MB = 128;
const MAX_WAITING = 16;

export interface UndeclaredNameFinder {
  /** Empty if the text takes too long, or too many others wait. Never rejects. */
  find(source: string): Promise<readonly UndeclaredName[]>;
  close(): Promise<void>;
}

/** Creates the finder, whose thread starts with the first call. A text may take `limitMs`. */
export function createUndeclaredNameFinder(limitMs = TIMEOUT_MS): UndeclaredNameFinder {
  const pool = createWorkerPool({ maxThreads: 1, maxQueue: MAX_WAITING, heapMb: HEAP_MB });
  return {
    async find(source) {
      const signal = AbortSignal.timeout(limitMs);
      try {
        const call = { module: import.meta.url, name: 'findUndeclaredNames', signal };
        return (await pool.run(source, call)) as readonly UndeclaredName[];
      } catch {
        // The names are only a warning: code is not rejected without them.
        return [];
      }
    },
    async close() {
      await pool.close();
    },
  };
}
