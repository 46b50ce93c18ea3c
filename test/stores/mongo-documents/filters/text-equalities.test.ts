import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import {
  caseInsensitiveEqualities,
  textEqualities,
  withSpellings,
} from '../../../../src/stores/mongo-documents/filters/text-equalities.ts';
import { where } from '../../../contracts/store-cases.ts';

const fold = (path: string, value: string) => where(path, { kind: 'eq', value, fold: true });
const both: Filter = { kind: 'and', filters: [fold('a', 'x'), where('b', { kind: 'eq', value: 'y' })] };

it('only equalities that every match satisfies are found', () => {
  expect(caseInsensitiveEqualities(both)).toEqual([{ path: 'a', text: 'x' }]);
  expect(textEqualities(both)).toEqual([
    { path: 'a', text: 'x' },
    { path: 'b', text: 'y' },
  ]);
  expect(caseInsensitiveEqualities({ kind: 'or', filters: [both] })).toEqual([]);
  expect(textEqualities({ kind: 'nor', filters: [both] })).toEqual([]);
});

it('caseless text is no case-insensitive equality', () => {
  expect(caseInsensitiveEqualities(fold('a', '12'))).toEqual([]);
});

it('withSpellings replaces the text by its spellings', () => {
  expect(withSpellings(both, { path: 'a', text: 'x' }, ['X', 'x'])).toEqual({
    kind: 'and',
    filters: [where('a', { kind: 'in', values: ['X', 'x'] }), both.filters[1]],
  });
});

it('withSpellings keeps ids of other programs', () => {
  const id = '65A1B2C3D4E5F60718293A4B';
  const filter = withSpellings(fold('a', id), { path: 'a', text: id }, []);
  expect(filter).toEqual(where('a', { kind: 'in', values: [id.toLowerCase(), id] }));
});
