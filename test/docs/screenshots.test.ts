// The pictures of the admin page: each that a document shows is there, small, and of a view that the tests visit.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_VIEWS } from '../helpers/admin/example-views.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const FOLDER = join(ROOT, 'docs/images/admin');
const MAX_BYTES_IN_ALL = 1_500_000;
const MAX_BYTES_IN_README = 80_000;

const shownBy = (page: string) =>
  [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(
      /!\[([^\]]*)\]\((?:docs\/)?images\/admin\/([\w-]+)\.png\)/g,
    ),
  ].map(([, text = '', name = '']) => ({ text, name }));
const bytesOf = (name: string) => statSync(join(FOLDER, `${name}.png`)).size;

describe('the pictures of the admin page', () => {
  const names = EXAMPLE_VIEWS.map(({ name }) => name).toSorted();

  it('are those of the views that the tests visit, each once in docs/admin.md', () => {
    expect(
      shownBy('docs/admin.md')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(names);
    expect(readdirSync(FOLDER).toSorted()).toEqual(names.map((name) => `${name}.png`));
  });

  it('are small', () => {
    expect(names.reduce((sum, name) => sum + bytesOf(name), 0)).toBeLessThan(MAX_BYTES_IN_ALL);
    const [first, ...others] = shownBy('README.md');
    expect(others).toEqual([]);
    expect(bytesOf(first?.name ?? '')).toBeLessThan(MAX_BYTES_IN_README);
  });

  it('are told in words to who does not see them', () => {
    for (const { text } of [...shownBy('docs/admin.md'), ...shownBy('README.md')]) {
      expect(text.length).toBeGreaterThan(20);
    }
  });
});
