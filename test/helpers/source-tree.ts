// Reads the source tree the way the architecture test looks at it: files, lines and who imports what.
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/lib/files/package-files.ts';

/** Folder of the checkout. */
export const ROOT = resolve(fileURLToPath(packageRoot()));

export interface Import {
  /** Path from the root for one of ours (`src/lib/json/json.ts`), otherwise the name of the package or built-in. */
  readonly target: string;
  readonly local: boolean;
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Has a function or a class once the types are gone: constants and types alone have nothing to test. */
  readonly hasCode: boolean;
}

const STATEMENT =
  /^\s*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

function onlyTypes(keyword: string | undefined, clause: string | undefined): boolean {
  if (keyword !== undefined) return true;
  const names = clause?.match(/^\{([^}]*)\}$/s)?.[1];
  if (names === undefined) return false;
  const listed = names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return listed.length > 0 && listed.every((name) => name.startsWith('type '));
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

/** Every import, re-export and literal dynamic import of a file. `path` is from the root. */
export function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, keyword, clause, from, dynamic]) => {
    const specifier = from ?? dynamic ?? '';
    const local = specifier.startsWith('.');
    return {
      target: local ? posix.join(posix.dirname(path), specifier) : packageName(specifier),
      local,
      typeOnly: dynamic === undefined && onlyTypes(keyword, clause),
    };
  });
}

/** True when something is left to run after the types are stripped. */
export function holdsCode(text: string): boolean {
  const code = stripTypeScriptTypes(text)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  return /\bfunction\b|=>|\bclass\b/.test(code);
}

/** The `.ts` and `.js` files below a folder of the root, sorted. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name);
      const path = absolute.slice(ROOT.length + 1).replaceAll('\\', '/');
      const text = readFileSync(absolute, 'utf8');
      return {
        path,
        text,
        lines: text.split('\n').length - 1,
        imports: importsOf(path, text),
        hasCode: holdsCode(text),
      };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
