// The sources of the admin page keep to what holds for all others.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, ROOT } from '../helpers/fixtures/source-tree.ts';
import { filesBelow } from '../helpers/temp/folders.ts';

const MAX_LINES = 300;
const MAX_FILES = 20;
/** What the page takes of the server: words that commands have too, and the table of settings of recipes. */
const SHARED = ['src/cli/client-rights.ts', 'src/delivery/recipes/setting-rules.ts'];

const files = filesBelow(join(ROOT, 'admin'))
  .filter((path) => /\.(ts|tsx|css)$/.test(path))
  .map((path) => ({ path: `admin/${path}`, text: readFileSync(join(ROOT, 'admin', path), 'utf8') }));
const paths = (found: typeof files) => found.map(({ path }) => path);

describe('the sources of the admin page', () => {
  it('are short files in folders of a size to read', () => {
    expect(paths(files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES))).toEqual([]);
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    expect([...folders].filter(([, list]) => list.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
  });

  it('say what each file is for, and have plain names', () => {
    const code = files.filter(({ path }) => !path.endsWith('.css'));
    expect(paths(code.filter(({ text }) => !/^\/\/ /.test(text)))).toEqual([]);
    const vague = /\b(utils?|helpers?|common|misc)\b|[A-Z]|_/;
    expect(paths(files.filter(({ path }) => vague.test(basename(path))))).toEqual([]);
  });

  it('never write markup by themselves', () => {
    const written =
      /dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write|srcDoc/;
    expect(paths(files.filter(({ text }) => written.test(text)))).toEqual([]);
  });

  it('take nothing of the server but words', () => {
    const foreign = files.flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter(({ target, local }) => local && !target.startsWith('admin/') && !SHARED.includes(target))
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(foreign).toEqual([]);
  });
});
