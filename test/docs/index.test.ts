// The index of docs/: whoever looks for a page finds it there.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const INDEX = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
/** Decisions have an index of their own. */
const PAGES = globSync(['*.md', 'internals/*.md', 'reference/*.md', 'decisions/README.md'], {
  cwd: join(ROOT, 'docs'),
}).filter((page) => page !== 'README.md');

test.each(PAGES.toSorted())('docs/README.md links to docs/%s', (page) => {
  expect(INDEX).toContain(`](${page})`);
});

test('the index says what each page is for, and only of pages that have a line of their own', () => {
  const rows = INDEX.split('\n').filter((line) => line.startsWith('| ['));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => (row.split('|')[2]?.trim() ?? '') === '')).toEqual([]);
});
