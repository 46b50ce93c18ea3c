// The tables of docs/migration.md that say what of the older servers is read as what: each row is tried.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSpecification } from '../../src/collections/specifications/parse-specification.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { useLab } from '../sandbox/lab/use-lab.ts';

const page = readFileSync(join(ROOT, 'docs/migration.md'), 'utf8');
const { run } = useLab();

/** The rows of the table with this first column: what stands in quotes in the first and the last cell. */
function rowsOf(heading: string): readonly (readonly [older: string, same: string])[] {
  const table = page.slice(page.indexOf(`\n| ${heading} |`)).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(3)
    .map((line) => {
      const [older = '', , same = ''] = line.slice(2).split(' | ');
      const quoted = (cell: string) => /`([^`]+)`/.exec(cell)?.[1] ?? '';
      return [quoted(older), same.startsWith('itself') ? quoted(older) : quoted(same)] as const;
    });
}

/** What a specification with this field, or these settings, is parsed to, without its own text. */
function parsed(text: string) {
  const { settings = {}, ...field } = JSON.parse(text) as { settings?: JsonObject };
  const isField = Object.keys(field).length > 0 || text === '{}';
  const source = isField
    ? { fields: { a: JSON.parse(text) }, settings: {} }
    : { fields: { a: {} }, settings };
  const address = { version: '1.0', database: 'library', name: 'books' };
  const { collection, warnings } = parseSpecification(source, address, { enableCollectionDatabases: false });
  expect(warnings, text).toEqual([]);
  return { fields: collection.fields, settings: collection.settings };
}

describe('the fields and settings of the older servers', () => {
  const rows = rowsOf('Field or setting');

  it('are all there', () => expect(rows.length).toBeGreaterThan(10));

  it.each(rows)('%s is read as %s', (older, same) => {
    expect(parsed(older)).toEqual(parsed(same));
  });

  it('that are as they are have an effect', () => {
    for (const [older, same] of rows.filter(([a, b]) => a === b)) {
      expect(parsed(older), same).not.toEqual(
        parsed(older.includes('"type"') ? older.replace(/,"validation".*/, '}') : '{}'),
      );
    }
  });
});

describe('the calls of Model of the older servers', () => {
  const rows = rowsOf('Call');

  it('are all there', () => expect(rows.length).toBeGreaterThan(12));

  it.each(rows)('%s is the same as %s', async (older, same) => {
    const callOf = async (text: string) => {
      const source = `exports.get = async (req, res) => { const done = () => {}; await ${text}; res.end(); };`;
      const value = { results: [] };
      const { calls, kind } = await run(source, { serve: () => ({ ok: true, value }) });
      expect([kind, calls.length]).toEqual(['end', 1]);
      const { olderForm: _, form: __, passesRequest, ...args } = calls[0]?.args ?? {};
      expect(passesRequest === true, text).toBe(/\breq\b/.test(text));
      return { name: calls[0]?.name, args };
    };
    expect(await callOf(older)).toEqual(await callOf(same));
  });
});
