import { expect, test } from 'vitest';
import { BLOCK, blockOf, historyOf, splitHistory } from '../../src/collections/history-blocks.ts';

const ids = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`);

test('a document that others wrote may have no history, or another thing of that name', () => {
  expect(historyOf({})).toEqual([]);
  expect(historyOf({ history: 'x' })).toEqual([]);
});

test('the latest ids leave the document whenever `v` is a multiple of the length of a block', () => {
  expect(splitHistory(ids(150), 151)).toEqual({ kept: ids(150), block: undefined });
  expect(splitHistory(ids(BLOCK), 2 * BLOCK)).toEqual({ kept: ids(BLOCK), block: undefined });
  expect(splitHistory(ids(199), 2 * BLOCK)).toEqual({ kept: ids(BLOCK), block: ids(199).slice(BLOCK) });
});

test('a list that begins with the first revision is no block', () => {
  expect(blockOf({}, 'r0')).toBeUndefined();
  expect(blockOf({ history: [] }, 'r0')).toBeUndefined();
  expect(blockOf({ history: ['r0', 'r1'] }, 'r0')).toBeUndefined();
  expect(blockOf({ history: ['r1'] }, 'r0')).toEqual(['r1']);
});
