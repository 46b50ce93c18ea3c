import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildReadRequest, READ_PARAMETERS } from '../../../src/collections/model/read-request.ts';
import { ROOT } from '../../helpers/source-tree.ts';

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
