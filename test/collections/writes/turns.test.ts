import { expect, test } from 'vitest';
import { inTurn } from '../../../src/collections/writes/turns.ts';
import { createKeyedQueue } from '../../../src/lib/keyed-queue.ts';

test('writes of one document wait for each other, those of posted code for nobody', async () => {
  const turns = createKeyedQueue();
  const ended: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = inTurn(turns, 'a', {}, () => gate.promise.then(() => void ended.push('first')));
  const second = inTurn(turns, 'a', { depth: 0 }, async () => void ended.push('second'));
  await inTurn(turns, 'a', { depth: 1 }, async () => void ended.push('nested'));
  expect(ended).toEqual(['nested']);
  gate.resolve();
  await Promise.all([first, second]);
  expect(ended).toEqual(['nested', 'first', 'second']);
});
