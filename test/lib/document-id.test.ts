import { expect, test } from 'vitest';
import { documentsById, parseQuotedId, readDocumentId } from '../../src/lib/document-id.ts';

const A = 'a'.repeat(24);
const B = 'b'.repeat(24);

test('readDocumentId returns an id that is text', () => {
  expect(readDocumentId(`{"o":{"_id":"x"},"_id":"${A}"}`)).toBe(A);
  expect(readDocumentId(`{"_id":"${A}","o":{"_id":"${B}"}}`)).toBe(A);
  expect(readDocumentId(`{"_id":"mine","x\\"_id":"${B}"}`)).toBe('mine');
  expect(readDocumentId('{"_id":5,"abcdefghijklmnopqrst":1}')).toBeUndefined();
  expect(readDocumentId('{"_id":5}')).toBeUndefined();
  expect(readDocumentId('{}')).toBeUndefined();
});

test('parseQuotedId returns nothing but an id in quotes', () => {
  const parsed = (text: string) => parseQuotedId(text, { start: 0, end: text.length });
  expect(parsed(`"${A}"`)).toBe(A);
  expect(['', `${A}xx`, `"${A}x`, `x${A}"`, `"${A.slice(1)}x"`, `"${A}a"`].map(parsed)).toEqual(
    Array.from({ length: 6 }),
  );
});

test('documentsById leaves out documents without an id that is text', async () => {
  const [a, b] = [`{"_id":"${A}"}`, `{"_id":"own"}`];
  expect([...(await documentsById([a, '{"_id":5}', b]))]).toEqual([
    [A, a],
    ['own', b],
  ]);
});
