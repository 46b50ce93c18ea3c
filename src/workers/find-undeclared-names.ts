// Worker task: finds names that posted code assigns to without declaring them. The code is parsed, never run.
import { parse } from 'acorn';
import { analyze } from 'eslint-scope';

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

function parseBody(source: string): ReturnType<typeof parse> {
  return parse(source, {
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
