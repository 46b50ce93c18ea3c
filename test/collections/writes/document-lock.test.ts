import { expect, test } from 'vitest';
import { withDocumentLock } from '../../../src/collections/writes/document-lock.ts';
import { createKeyedMutex } from '../../../src/lib/async/keyed-mutex.ts';

test('writes of one document wait for each other, those of posted code for nobody', async () => {
  const turns = createKeyedMutex();
  const ended: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = withDocumentLock(turns, 'a', {}, () => gate.promise.then(() => void ended.push('first')));
  const second = withDocumentLock(turns, 'a', { depth: 0 }, async () => void ended.push('second'));
  await withDocumentLock(turns, 'a', { depth: 1 }, async () => void ended.push('nested'));
  expect(ended).toEqual(['nested']);
  gate.resolve();
  await Promise.all([first, second]);
  expect(ended).toEqual(['nested', 'first', 'second']);
});
