// Worker task: which names does posted code assign to without declaring them? Its text is parsed, never run.
import { parse } from 'acorn';
import { analyze } from 'eslint-scope';

/** A name with the line of its first assignment, from 1. */
export interface UndeclaredName {
  readonly name: string;
  readonly line: number;
}

const NAMES_MOST = 20;
// What a module finds as its parameters: assigning to these is its own affair.
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
    // The analysis tells by them what a function's own parameters are.
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
    if (first.size === NAMES_MOST) break;
  }
  return first;
}

/** At most 20 names in the order of the text. Code that cannot be parsed, or nests too deep to be looked at, has none. */
export function findUndeclaredNames(source: string): readonly UndeclaredName[] {
  try {
    return [...namesIn(source)].map(([name, line]) => ({ name, line }));
  } catch {
    return [];
  }
}
