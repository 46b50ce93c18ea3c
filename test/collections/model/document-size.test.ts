import { expect, test } from 'vitest';
import {
  bsonBytes,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_CHARACTERS,
  sizeIssue,
} from '../../../src/collections/model/document-size.ts';
import type { Json } from '../../../src/lib/json/json.ts';

// Sizes as the BSON specification gives them, type byte and name left out.
test.each([
  [null, 0],
  [true, 1],
  [1, 4],
  [2 ** 31, 8],
  [0.5, 8],
  ['', 5],
  ['ü', 7],
  [{}, 5],
  [{ a: 1 }, 12],
  [[1, 'x'], 5 + 7 + 9],
  [Array.from({ length: 101 }, () => null), 5 + 10 * 3 + 90 * 4 + 5],
] as const)('%j', (value, bytes) => {
  expect(bsonBytes(value as Json)).toBe(bytes);
});

const check = (document: Json) => sizeIssue(document, JSON.stringify(document)) !== undefined;

test('a text at the bound fits, one byte more does not', () => {
  const frame = bsonBytes({ a: '' });
  expect(check({ a: 'x'.repeat(MAX_DOCUMENT_BYTES - frame) })).toBe(false);
  expect(check({ a: 'x'.repeat(MAX_DOCUMENT_BYTES - frame + 1) })).toBe(true);
});

test('short JSON that is long as BSON is too large', () => {
  const digits = Array.from({ length: 1_400_000 }, () => 1);
  expect(JSON.stringify(digits).length).toBeLessThan(MAX_DOCUMENT_BYTES / 5);
  expect(check({ digits })).toBe(true);
});

test('counts the characters of the text too, which a read is bounded by', () => {
  const controls = { a: '\u0000'.repeat(MAX_DOCUMENT_CHARACTERS / 6) };
  expect(bsonBytes(controls)).toBeLessThan(MAX_DOCUMENT_BYTES);
  expect(sizeIssue(controls, JSON.stringify(controls))).toMatch(/^has more than \d+ characters as JSON/);
});
