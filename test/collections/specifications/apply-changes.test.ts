import { expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import {
  loadSpecifications,
  logRejectedFile,
} from '../../../src/collections/specifications/apply-changes.ts';
import type { SpecificationFile } from '../../../src/collections/specifications/specification-files.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { BOOKS_ADDRESS, silentLog } from '../../helpers/fixtures/specifications.ts';

const file = (name: string, source: JsonObject | undefined): SpecificationFile => ({
  address: { ...BOOKS_ADDRESS, name },
  file: name,
  text: source && JSON.stringify(source),
});

async function load(found: readonly SpecificationFile[]) {
  const registry = createCollectionRegistry();
  const { log, errors, warnings } = silentLog();
  await loadSpecifications({
    registry,
    files: { readAll: async () => found },
    filterLimits: { filterDepth: 8, filterNodes: 200 },
    enableCollectionDatabases: false,
    log,
  });
  return { names: registry.list().map(({ name }) => name), errors, warnings };
}

test('valid specifications are loaded, invalid ones are reported, warnings are logged', async () => {
  const { names, errors, warnings } = await load([
    file('Books', { fields: { a: {} }, settings: { sort: 'a' } }),
    file('books', { fields: { a: {} }, settings: {} }),
    file('broken', undefined),
    file('empty', {}),
  ]);
  expect(names).toEqual(['Books']);
  expect(errors.map(({ fields }) => fields)).toMatchObject([
    { file: 'books' },
    { file: 'broken' },
    { file: 'empty' },
  ]);
  expect(warnings).toMatchObject([{ fields: { file: 'Books', field: 'settings.sort' } }]);
});

test('default filters may go through collections that are loaded later', async () => {
  const author = { type: 'Reference', settings: { collection: 'people' } };
  const { names, errors } = await load([
    file('a', { fields: { author }, settings: { defaultFilters: { 'author.name': 'x' } } }),
    file('b', { fields: { author }, settings: { defaultFilters: { 'author.nope': 'x' } } }),
    file('people', { fields: { name: {} }, settings: {} }),
  ]);
  // What they would have to do cannot be done, so that reads are refused; no start takes the collection away.
  expect(names).toEqual(['a', 'b', 'people']);
  expect(errors).toMatchObject([{ fields: { file: 'b' } }]);
});

test('problems are logged as they would be answered, other failures with their cause', () => {
  const { log, errors } = silentLog();
  logRejectedFile(log, 'x', new AppError('SPECIFICATION_INVALID', { items: [{ message: 'bad' }] }));
  logRejectedFile(log, 'y', new Error('disk'));
  expect(errors.map(({ fields }) => fields)).toMatchObject([
    { file: 'x', problems: [{ message: 'bad' }] },
    { file: 'y', err: { message: 'disk' } },
  ]);
});
