// What a process says of the indexes that it declared.
import { expect, test } from 'vitest';
import { createIndexCache } from '../../../../src/stores/mongo-documents/indexes/index-cache.ts';
import { planIndexMigration } from '../../../../src/stores/mongo-documents/indexes/index-plan.ts';
import { parseFoundIndex } from '../../../../src/stores/mongo-documents/indexes/index-spec.ts';
import { namespaceKey } from '../../../../src/stores/namespace.ts';
import { ELSEWHERE, index } from '../../../contracts/store-cases.ts';
import { foldingIndex, SPACE } from './workbench.ts';

const KEY = namespaceKey(SPACE);
const declared = [foldingIndex('a', { a: 1 }), index('u', { u: 1 }, { unique: true })];
const missing = planIndexMigration(declared, [], () => true);
const collation = { locale: 'en', strength: 1 };
const found = [
  { name: 'a', key: { a: 1, _id: 1 } },
  { name: 'a~folded', key: { a: 1, _id: 1 }, collation },
  { name: 'u', key: { u: 1 }, unique: true },
];
const settled = planIndexMigration(declared, found.map(parseFoundIndex), () => true);

test('the index cache is empty at first, and separate for each namespace', () => {
  const knowledge = createIndexCache();
  expect(knowledge.of(SPACE)).toEqual([]);
  knowledge.set(KEY, missing);
  expect(knowledge.of(ELSEWHERE)).toEqual([]);
});

test('a shadow index is ready once built, and as long as it exists', () => {
  const knowledge = createIndexCache();
  const folds = () => knowledge.of(SPACE)[0]?.hasReadyShadow;
  knowledge.set(KEY, settled);
  expect(folds()).toBe(false);
  knowledge.set(KEY, settled, { ready: new Set(['a~folded']), failed: new Set() });
  expect(folds()).toBe(true);
  knowledge.set(KEY, settled);
  expect(folds()).toBe(true);
  knowledge.set(KEY, missing);
  expect(folds()).toBe(false);
});

test('the index cache omits indexes that failed to build', () => {
  const knowledge = createIndexCache();
  knowledge.set(KEY, missing, { ready: new Set(), failed: new Set(['a']) });
  expect(knowledge.of(SPACE)).toMatchObject([
    { name: 'u', endsInId: false, isUnique: true, hasReadyShadow: false },
  ]);
});
