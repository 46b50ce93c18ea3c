import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  buildReadRequest,
  createFilterError,
  createParameterError,
  isComposeDepth,
  parseComposeDepth,
  READ_PARAMETERS,
} from '../../../src/collections/model/read-parameters.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const codeIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);

/** The part of a text between two others. */
function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  return text.slice(from, text.indexOf(end, from));
}

describe('the table of read parameters', () => {
  test('has the parameters that docs/queries.md lists, beside `cache` and `callback`', () => {
    const rows = [...read('docs/queries.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...READ_PARAMETERS.map(({ query }) => query), 'cache', 'callback']);
  });

  test('has the options of beforeGet that docs/hooks.md lists', () => {
    const options = READ_PARAMETERS.flatMap(({ hookOption }) => hookOption ?? []);
    expect(codeIn(between(read('docs/hooks.md'), '`options` has those of ', ' that were sent'))).toEqual(
      options,
    );
  });

  test('has the options of Model queries that sandbox/endpoint.d.ts declares', () => {
    const block = between(read('sandbox/endpoint.d.ts'), 'export interface FindOptions {', '\n}');
    const declared = [...block.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
    expect(declared.sort()).toEqual(READ_PARAMETERS.flatMap(({ modelOptions: [name] }) => name ?? []).sort());
  });
});

test('a read request has only the parameters that have a value', () => {
  const request = buildReadRequest(({ key }) => (key === 'page' ? 2 : undefined));
  expect(request).toEqual({ page: 2 });
});

test('`true`, `all` and numbers are on, other text is off', () => {
  const on = { true: true, all: 'all', 0: 0, 2: 2, 999999999: 999_999_999 };
  for (const [text, compose] of Object.entries(on)) expect(parseComposeDepth(text)).toBe(compose);
  const off = ['false', '', 'TRUE', 'All', '-1', '1.5', ' 2', '1e3', 'yes', '9'.repeat(30)];
  expect(off.map(parseComposeDepth)).toEqual(off.map(() => false));
});

test('posted code gives a boolean, `all`, or a number of levels', () => {
  expect([true, false, 'all', 0, 7].every(isComposeDepth)).toBe(true);
  expect(['true', -1, 1.5, null, {}, 2 ** 60].some(isComposeDepth)).toBe(false);
});

test('a parameter error has the members that clients of the older dialect read', () => {
  const error = createParameterError('fields', 'no');
  expect(error.status).toBe(400);
  expect(error.items).toEqual([
    {
      field: 'fields',
      message: 'no',
      status: 'Bad Request',
      code: 'Invalid Parameter',
      title: 'Invalid Fields Parameter Provided',
      details: 'no',
    },
  ]);
});

test('a filter error names at most 200 well-formed characters of the field', () => {
  const error = createFilterError(`\ud800${'x'.repeat(1000)}`, 'is unknown');
  expect(error.status).toBe(400);
  expect(error.items[0]?.field).toBe(`\ufffd${'x'.repeat(199)}`);
  expect(error.items[0]).toMatchObject({
    message: 'is unknown',
    code: 'Invalid Parameter',
    title: 'Invalid Filter Parameter Provided',
    details: 'is unknown',
  });
});
