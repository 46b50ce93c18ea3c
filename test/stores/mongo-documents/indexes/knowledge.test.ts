// What a process says of the indexes that it declared.
import { expect, test } from 'vitest';
import { createIndexKnowledge } from '../../../../src/stores/mongo-documents/indexes/knowledge.ts';
import { planIndexes } from '../../../../src/stores/mongo-documents/indexes/plan.ts';
import { readFound } from '../../../../src/stores/mongo-documents/indexes/spec.ts';
import { spaceKey } from '../../../../src/stores/mongo-documents/names.ts';
import { ELSEWHERE, index } from '../../../contracts/cases.ts';
import { foldingIndex, SPACE } from './workbench.ts';

const KEY = spaceKey(SPACE);
const declared = [foldingIndex('a', { a: 1 }), index('u', { u: 1 }, { unique: true })];
const missing = planIndexes(declared, [], () => true);
const collation = { locale: 'en', strength: 1 };
const found = [
  { name: 'a', key: { a: 1, _id: 1 } },
  { name: 'a~folded', key: { a: 1, _id: 1 }, collation },
  { name: 'u', key: { u: 1 }, unique: true },
];
const settled = planIndexes(declared, found.map(readFound), () => true);

test('nothing is known before, nor of other name spaces', () => {
  const knowledge = createIndexKnowledge();
  expect(knowledge.of(SPACE)).toEqual([]);
  knowledge.set(KEY, missing);
  expect(knowledge.of(ELSEWHERE)).toEqual([]);
});

test('a twin serves once it is known to be filled, and as long as it is there', () => {
  const knowledge = createIndexKnowledge();
  const folds = () => knowledge.of(SPACE)[0]?.folding;
  knowledge.set(KEY, settled);
  expect(folds()).toBe(false);
  knowledge.set(KEY, settled, { ready: new Set(['a~folded']), failed: new Set() });
  expect(folds()).toBe(true);
  knowledge.set(KEY, settled);
  expect(folds()).toBe(true);
  knowledge.set(KEY, missing);
  expect(folds()).toBe(false);
});

test('what could not be made is not there', () => {
  const knowledge = createIndexKnowledge();
  knowledge.set(KEY, missing, { ready: new Set(), failed: new Set(['a']) });
  expect(knowledge.of(SPACE)).toMatchObject([{ name: 'u', tied: false, distinct: true, folding: false }]);
});
