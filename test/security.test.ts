// SECURITY.md and its reference pages tell the truth: their tests exist, their limits have these defaults, their links lead somewhere.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { CONFIG_SCHEMA } from '../src/config/schema.ts';
import { findSetting } from '../src/config/setting-names.ts';
import { ROOT } from './helpers/fixtures/source-tree.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const PROMISES = 'docs/reference/promises.md';
const LIMITS = 'docs/reference/limits.md';

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page whose last column has tests. */
function tablesOf(page: string): readonly Table[] {
  return read(page)
    .split(/\n\n+/)
    .flatMap((block) => {
      const [first, ...lines] = block.split('\n').filter((line) => line.startsWith('| '));
      const header = cellsOf(first ?? '');
      return header.at(-1) === 'Test' ? [{ header, rows: lines.map(cellsOf) }] : [];
    });
}

const rowsOf = (page: string) => tablesOf(page).flatMap(({ rows }) => rows);

describe.each(['SECURITY.md', PROMISES, LIMITS, 'docs/residual-risks.md'])('%s', (page) => {
  it('names tests, folders and pages that exist', () => {
    const named = [...read(page).matchAll(/`((?:test|src|sandbox|docs)\/[^`\s]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe.each([
  { page: PROMISES, least: 170 },
  { page: LIMITS, least: 90 },
])('$page', ({ page, least }) => {
  it('has not lost its tables', () => {
    expect(rowsOf(page).length).toBeGreaterThanOrEqual(least);
  });

  it('names a test for every row', () => {
    for (const cells of rowsOf(page)) expect(cells.at(-1)).toMatch(/`test\/[^`]+\.test\.ts`/);
  });

  it('has as many cells in each row as in the header', () => {
    for (const { header, rows } of tablesOf(page)) {
      for (const cells of rows) expect(cells).toHaveLength(header.length);
    }
  });
});

test('every promise is one line that ends as a sentence does', () => {
  for (const [promise] of rowsOf(PROMISES)) expect(promise).toMatch(/^[A-Z`].*\.$/);
});

const UNITS: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 * 1024, s: 1000 };

/** The numbers of a cell in bytes and milliseconds, where they have a unit. */
function numbersIn(cell: string): readonly number[] {
  return [...cell.matchAll(/(\d[\d,]*)(?: (KB|MB|s)\b)?/g)].map(
    ([, digits = '', unit]) => Number(digits.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1),
  );
}

/** The settings that a cell names. */
const settingsIn = (cell: string) =>
  [...cell.matchAll(/`(\w+(?:\.\w+)+)`/g)].flatMap(([, path = '']) =>
    path === 'auth.rateLimit'
      ? ['perClient', 'perAddress', 'windowSeconds'].map((member) => `${path}.${member}`)
      : [path],
  );

/** The default of a setting in bytes and milliseconds; undefined for what is no number. */
function defaultOf(path: string): number | undefined {
  const leaf = findSetting(path)?.leaf;
  return typeof leaf?.default === 'number' ? leaf.default * (UNITS[leaf.unit ?? ''] ?? 1) : undefined;
}

test('every limit has the default that it says', () => {
  const limits = rowsOf(LIMITS).filter(([name = '']) =>
    settingsIn(name).some((path) => defaultOf(path) !== undefined),
  );
  expect(limits.length).toBeGreaterThanOrEqual(35);
  for (const [name = '', shown = ''] of limits) {
    expect([name, numbersIn(shown)]).toEqual([name, settingsIn(name).map(defaultOf)]);
  }
});

test('every setting of the block `limits` is among the limits', () => {
  const named = rowsOf(LIMITS).flatMap(([name = '']) => settingsIn(name));
  const missing = Object.keys(CONFIG_SCHEMA.properties.limits.properties).filter(
    (key) => !named.includes(`limits.${key}`),
  );
  expect(missing).toEqual([]);
});

describe('SECURITY.md', () => {
  const page = read('SECURITY.md');
  const sections = page.split(/^## \d+\. /m);

  it('can be read in a quarter of an hour', () => {
    expect(page.split(/\s+/).filter(Boolean).length).toBeLessThan(3000);
  });

  it('links each of its promises to the tests that hold it', () => {
    const section = sections.find((text) => text.startsWith('Twelve promises'));
    const promises = section?.match(/^\d+\. .*$/gm);
    expect(promises).toHaveLength(12);
    for (const promise of promises ?? []) expect(promise).toContain(`](${PROMISES}#`);
  });
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

/** Of the headings, and those that are kept for links from elsewhere. */
const anchorsOf = (page: string) => [
  ...[...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)),
  ...[...read(page).matchAll(/^<a id="([\w-]+)">/gm)].map(([, id]) => id),
];

const PAGES = globSync(['*.md', 'docs/**/*.md', 'sandbox/*.md'], { cwd: ROOT }).sort();

test('there are pages', () => {
  expect(PAGES.length).toBeGreaterThan(20);
});

test.each(PAGES)('every link of %s leads somewhere', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([\w-]+))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});
