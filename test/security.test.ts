// SECURITY.md tells the truth: its tests exist, its limits have these defaults, its modules are there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findSetting } from '../src/config/setting-names.ts';
import { ROOT } from './helpers/fixtures/source-tree.ts';

const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

/** The rows of every table whose last column has tests, as cells. */
const rows = text.split(/\n\n+/).flatMap((block) => {
  const lines = block.split('\n').filter((line) => line.startsWith('| '));
  return cellsOf(lines[0] ?? '').at(-1) === 'Test' ? lines.slice(1).map(cellsOf) : [];
});

const UNITS: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 * 1024, s: 1000 };

/** The numbers of a cell, with their units, as the configuration has them. */
function numbersIn(cell: string): readonly number[] {
  return [...cell.matchAll(/(\d[\d,]*)(?: (KB|MB|s)\b)?/g)].map(
    ([, digits = '', unit]) => Number(digits.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1),
  );
}

test('every test and folder that it names exists', () => {
  const named = [...text.matchAll(/`((?:test|src)\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

test.each(['SECURITY.md', 'sandbox/README.md'])('every link of %s leads somewhere', (page) => {
  const links = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)\s#]*)(?:#([\w-]+))?\)/g)];
  expect(links.length).toBeGreaterThan(10);
  for (const [, path = '', anchor] of links) {
    const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    expect(existsSync(file), path).toBe(true);
    if (anchor === undefined || !file.endsWith('.md')) continue;
    const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      anchorOf(text),
    );
    expect(headings).toContain(anchor);
  }
});

test('every promise and every limit names a test', () => {
  expect(rows.length).toBeGreaterThan(100);
  for (const cells of rows) expect(cells.at(-1)).toMatch(/`test\/[^`]+\.test\.ts`/);
});

test('every promise is one line that ends as a sentence does', () => {
  const promises = rows.filter((cells) => cells.length === 2);
  expect(promises.length).toBeGreaterThan(60);
  for (const [promise] of promises) expect(promise).toMatch(/^[A-Z`].*\.$/);
});

test('every limit has the default that it says', () => {
  const named = (name = '') => [...name.matchAll(/`(\w+(?:\.\w+)+)`/g)].map(([, path = '']) => path);
  const isSetting = (path: string) => findSetting(path) !== undefined || path === 'auth.rateLimit';
  const limits = rows.filter((cells) => cells.length === 4 && named(cells[0]).some(isSetting));
  expect(limits.length).toBeGreaterThan(25);
  for (const [name = '', shown = ''] of limits) {
    const paths = named(name).flatMap((path) =>
      path === 'auth.rateLimit' ? [`${path}.perClient`, `${path}.perAddress`] : [path],
    );
    const defaults = paths.map((path) => findSetting(path)?.leaf.default);
    expect([name, numbersIn(shown)]).toEqual([name, defaults]);
  }
});
