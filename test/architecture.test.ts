// The rules of docs/internals/architecture.md that a machine can check: who may import whom, who owns which package,
// no cycles of files or folders, short files, folders of a size to read.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS, OWNERS } from './helpers/fixtures/layers.ts';
import { holdsCode, importsOf, ROOT, type SourceFile, sourceFiles } from './helpers/fixtures/source-tree.ts';

/** This file, whose patterns look like what they look for. */
const OWN = relative(ROOT, import.meta.filename);

const MAX_LINES = 300;

/** Folders show what belongs together; a longer list has to be searched. */
const MAX_FILES = 20;
/** What runs inside and beside the isolate is audited file by file, in the order of `sandbox/README.md`. */
const REVIEWED_ONE_BY_ONE = /^sandbox(\/guest)?$/;

/** Starts the command line, which imports the composition root beside it. */
const ENTRY_POINT = 'src/cloister.js';

const FILES = ['src', 'sandbox'].flatMap(sourceFiles);

const OPEN_BUILT_INS = /^node:(?!sqlite$)/;

function layerOf(path: string) {
  const prefix = Object.keys(LAYERS)
    .filter((candidate) => path.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  return prefix === undefined ? undefined : LAYERS[prefix];
}

const within = (path: string, prefixes: readonly string[] = []) =>
  prefixes.some((prefix) => path.startsWith(prefix));

function wrongDirections(file: SourceFile): string[] {
  const layer = layerOf(file.path);
  if (layer === undefined) return [`${file.path} belongs to no layer`];
  return file.imports
    .filter(({ local }) => local)
    .filter(
      ({ target, typeOnly }) => !within(target, layer.values) && !(typeOnly && within(target, layer.types)),
    )
    .map(({ target, typeOnly }) => `${file.path} imports ${typeOnly ? 'types of ' : ''}${target}`);
}

function foreignPackages(file: SourceFile): string[] {
  return file.imports
    .filter(({ local, target }) => !local && !OPEN_BUILT_INS.test(target))
    .filter(({ target }) => !within(file.path, OWNERS[target]))
    .map(({ target }) => `${file.path} imports ${target}`);
}

function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const { local, target } of byPath.get(path)?.imports ?? []) {
      if (local) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

/** Pairs of folders in which files of each import files of the other. */
function mutualFolders(files: readonly SourceFile[]): string[] {
  const edges = new Map<string, string>();
  for (const { path, imports } of files.filter(({ path }) => path !== ENTRY_POINT)) {
    for (const { local, target } of imports) {
      const [from, to] = [dirname(path), dirname(target)];
      if (local && from !== to) edges.set(`${from} ${to}`, `${path} → ${target}`);
    }
  }
  return [...edges].flatMap(([edge, example]) => {
    const [from, to] = edge.split(' ');
    const back = edges.get(`${to} ${from}`);
    return back !== undefined && String(from) < String(to) ? [`${example}, ${back}`] : [];
  });
}

describe('architecture', () => {
  it('imports point down the layers', () => {
    expect(FILES.flatMap(wrongDirections)).toEqual([]);
  });

  it('each package is used in its own place', () => {
    expect(FILES.flatMap(foreignPackages)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(findCycles(FILES)).toEqual([]);
  });

  it(`keeps every file within ${MAX_LINES} lines`, () => {
    const all = ['src', 'sandbox', 'test', 'scripts', 'bench'].flatMap(sourceFiles);
    expect(
      all.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines}`),
    ).toEqual([]);
  });

  it(`keeps every folder within ${MAX_FILES} source files`, () => {
    const counts = Map.groupBy(FILES, ({ path }) => dirname(path));
    const crowded = [...counts].filter(
      ([folder, files]) => files.length > MAX_FILES && !REVIEWED_ONE_BY_ONE.test(folder),
    );
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
  });

  it('has no two folders that import each other', () => {
    expect(mutualFolders(FILES)).toEqual([]);
  });

  it('reads the environment in one file only', () => {
    const readers = sourceFiles('src').filter(({ text }) => /\bprocess\.env\b|\bprocess\[/.test(text));
    expect(readers.map(({ path }) => path).filter((path) => path !== 'src/config/load-config.ts')).toEqual(
      [],
    );
  });

  it('sets Retry-After in one file only, so that the seconds of the catalogue hold', () => {
    const set = /['"]retry-after['"]\s*:|\(\s*['"]retry-after['"]\s*,/i;
    const setters = sourceFiles('src').filter(({ text }) => set.test(text));
    expect(setters.map(({ path }) => path)).toEqual(['src/errors/errors.ts']);
  });

  it('opens every source file with what it is for, and names no file by what it is not', () => {
    const silent = FILES.filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text)).map(({ path }) => path);
    expect(silent).toEqual([]);
    const vague = FILES.filter(({ path }) => /\b(utils?|helpers?|common|misc)\b|[A-Z]|_/.test(path));
    expect(vague.map(({ path }) => path)).toEqual([]);
  });

  it('tests nothing in the workspace of the checkout, where its developer may have anything', () => {
    const readers = sourceFiles('test').filter(
      ({ path, text }) => path !== OWN && /\bROOT,\s*['"`]workspace\b|\bcpSync\(\s*ROOT\b/.test(text),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  it('says the name of no test in that test, which would fail once its file has another', () => {
    const tests = sourceFiles('test').filter(({ path }) => path.endsWith('.test.ts'));
    const saying = tests.filter(({ path, text }) => text.includes(basename(path)));
    expect(tests).not.toEqual([]);
    expect(saying.map(({ path }) => path)).toEqual([]);
  });

  it('knows nothing of the machine it was written on', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    const traces = /\/work\/|\/root\/|\.\.\/shared\b|\bbash_jobs\b/;
    const found = tracked.filter(
      (path) =>
        path !== OWN && existsSync(join(ROOT, path)) && traces.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    expect(found).toEqual([]);
  });
});

describe('the eyes of this test', () => {
  it('see imports of every form', () => {
    const text = [
      "import type { A } from './a.ts';",
      "import { type B, type C } from '../b.ts';",
      "import { type D, e } from '@scope/pack/deep';",
      "import {\n  f,\n} from './f.ts';",
      "export { g } from './g.ts';",
      "const h = await import('./h.ts');",
    ].join('\n');
    expect(importsOf('src/x/y.ts', text)).toEqual([
      { target: 'src/x/a.ts', local: true, typeOnly: true },
      { target: 'src/b.ts', local: true, typeOnly: true },
      { target: '@scope/pack', local: false, typeOnly: false },
      { target: 'src/x/f.ts', local: true, typeOnly: false },
      { target: 'src/x/g.ts', local: true, typeOnly: false },
      { target: 'src/x/h.ts', local: true, typeOnly: false },
    ]);
  });

  it('tell code from types and constants', () => {
    expect(holdsCode('export interface A { readonly f: () => void }\nexport const B = 1;')).toBe(false);
    expect(holdsCode('export const twice = (n: number) => n * 2;')).toBe(true);
    expect(holdsCode('// a class\nexport function f() {}')).toBe(true);
  });

  it('find cycles and wrong directions', () => {
    const file = (path: string, ...targets: string[]): SourceFile => ({
      path,
      text: '',
      lines: 1,
      hasCode: true,
      imports: targets.map((target) => ({ target, local: true, typeOnly: false })),
    });
    expect(mutualFolders([file('a/x', 'b/y'), file('b/z', 'a/w'), file('a/x', 'c/v')])).toEqual([
      'a/x → b/y, b/z → a/w',
    ]);
    expect(findCycles([file('a', 'b'), file('b', 'c'), file('c', 'b')])).toEqual(['b → c → b']);
    expect(wrongDirections(file('src/collections/x.ts', 'src/http/y.ts'))).toEqual([
      'src/collections/x.ts imports src/http/y.ts',
    ]);
  });
});
