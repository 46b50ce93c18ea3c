// What a package.json says of the files that its package offers: `exports`, `imports`, `browser` and `main`.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';

/** Conditions of a target, beside `default`. Posted code is nearer to a browser than to Node: it has nothing of the machine. */
const CONDITIONS = {
  require: new Set(['browser', 'require', 'default']),
  import: new Set(['browser', 'import', 'module', 'default']),
} as const;

export type ImportKind = keyof typeof CONDITIONS;

/** Levels of conditions. */
const MAX_TARGET_DEPTH = 20;

function ownValue(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The first target whose conditions hold, `*` filled in. */
function resolveTarget(
  target: Json | undefined,
  kind: ImportKind,
  star: string,
  depth = 0,
): string | undefined {
  if (depth > MAX_TARGET_DEPTH) return undefined;
  if (typeof target === 'string') return target.replaceAll('*', () => star);
  if (Array.isArray(target)) {
    for (const entry of target as readonly Json[]) {
      const found = resolveTarget(entry, kind, star, depth + 1);
      if (found !== undefined) return found;
    }
  } else if (isJsonObject(target)) {
    for (const [condition, entry] of Object.entries(target)) {
      if (!CONDITIONS[kind].has(condition)) continue;
      const found = resolveTarget(entry, kind, star, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The entry of a table of paths: the exact one, else the pattern with the longest beginning. */
function findEntry(
  table: JsonObject,
  path: string,
): { readonly target: Json; readonly star: string } | undefined {
  const exact = ownValue(table, path);
  if (exact !== undefined && !path.includes('*')) return { target: exact, star: '' };
  let best: { readonly target: Json; readonly star: string; readonly length: number } | undefined;
  for (const [pattern, target] of Object.entries(table)) {
    const [before = '', after, ...more] = pattern.split('*');
    if (after === undefined || more.length > 0) continue;
    const fits =
      path.length > before.length + after.length && path.startsWith(before) && path.endsWith(after);
    if (!fits || before.length <= (best?.length ?? -1)) continue;
    best = { target, star: path.slice(before.length, path.length - after.length), length: before.length };
  }
  return best;
}

/** A table of paths: `exports` may also be the target of `.` alone. */
function exportTable(exported: Json): JsonObject {
  const isTable = isJsonObject(exported) && Object.keys(exported).some((key) => key.startsWith('.'));
  return isTable ? exported : { '.': exported };
}

/** The path in the package that `exports` gives for `.` or `./path`. Undefined: it offers none. */
export function exportedPath(exported: Json, path: string, kind: ImportKind): string | undefined {
  const entry = findEntry(exportTable(exported), path);
  return entry === undefined ? undefined : resolveTarget(entry.target, kind, entry.star);
}

/** The path or package that `imports` gives for a name such as `#db`. */
export function importedPath(imports: Json | undefined, name: string, kind: ImportKind): string | undefined {
  const entry = isJsonObject(imports) ? findEntry(imports, name) : undefined;
  return entry === undefined ? undefined : resolveTarget(entry.target, kind, entry.star);
}

/** The path of the main file as the package names it: that for browsers first. */
export function mainPath(manifest: JsonObject, kind: ImportKind): string {
  const { browser, module, main } = manifest;
  const candidates = [browser, kind === 'import' ? module : undefined, main];
  return (
    (candidates.find((path) => typeof path === 'string' && path !== '') as string | undefined) ?? './index.js'
  );
}

/** What `browser` puts in the place of a file or a package: another path, `false` for nothing, undefined where it says nothing. */
export function browserSubstitute({ browser }: JsonObject, path: string): string | false | undefined {
  if (!isJsonObject(browser)) return undefined;
  const spellings = path.startsWith('./') ? [path, path.slice(2), path.replace(/\.js$/, '')] : [path];
  for (const spelling of spellings) {
    const found = ownValue(browser, spelling);
    if (typeof found === 'string' || found === false) return found;
  }
  return undefined;
}
