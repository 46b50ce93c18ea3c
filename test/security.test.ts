// SECURITY.md tells the truth: its tests exist, its limits have these defaults, its modules are there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingAt } from '../src/config/settings.ts';
import { ROOT } from './helpers/source-tree.ts';

const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

/** The cells of every table row. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

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

test('every promise and every limit names a test', () => {
  const tabled = rows.filter((cells) => !['Promise', 'Limit', 'Module'].includes(cells[0] ?? ''));
  const last = tabled.filter((cells) => !cells[0]?.startsWith('`src/')).map((cells) => cells.at(-1));
  expect(last.length).toBeGreaterThan(20);
  for (const cell of last) expect(cell).toMatch(/`test\/[^`]+\.test\.ts`/);
});

test('every limit has the default that it says', () => {
  const limits = rows.filter((cells) => cells.length === 4 && /`\w+\.\w+`/.test(cells[0] ?? ''));
  expect(limits.length).toBeGreaterThan(8);
  for (const [name = '', shown = ''] of limits) {
    const paths = [...name.matchAll(/`([\w.]+)`/g)].flatMap(([, path = '']) =>
      path === 'auth.rateLimit' ? [`${path}.perClient`, `${path}.perAddress`] : [path],
    );
    const defaults = paths.map((path) => settingAt(path)?.leaf.default);
    expect([name, numbersIn(shown)]).toEqual([name, defaults]);
  }
});
