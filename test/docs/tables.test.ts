// Tables of the pages: a row that stands twice is a slip of a merge, and one of the two will be out of date.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PAGES = globSync(['*.md', 'docs/**/*.md', 'sandbox/*.md'], { cwd: ROOT }).sort();
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The tables of a page, each as its rows without head and rule. Blocks of code are left out. */
function tablesOf(page: string): readonly (readonly string[])[] {
  const blocks = page.replaceAll(/^ *```.*?^ *```$/gms, '').split(/\n(?!\|)/);
  return blocks.map((block) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .slice(2),
  );
}

const repeated = (texts: readonly string[]) =>
  texts.filter((text, index) => text !== '' && texts.indexOf(text) !== index);

test.each(PAGES)('no row of a table stands twice in %s', (page) => {
  expect(tablesOf(read(page)).flatMap(repeated)).toEqual([]);
});

test.each(['docs/internals/architecture.md', 'docs/internals/glossary.md'])(
  'no table of %s has two rows of one name',
  (page) => {
    const names = tablesOf(read(page)).map((rows) => rows.map((row) => row.split('|')[1]?.trim() ?? ''));
    expect(names.flat().length).toBeGreaterThan(20);
    expect(names.flatMap(repeated)).toEqual([]);
  },
);
