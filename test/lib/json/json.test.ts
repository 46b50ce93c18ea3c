import { expect, it } from 'vitest';
import { isJsonObject } from '../../../src/lib/json/json.ts';

it.each([{}, { a: 1 }, Object.create(null)])('%j is a JSON object', (value) => {
  expect(isJsonObject(value)).toBe(true);
});

it.each([null, [], 'text', 1, true, undefined])('%j is not a JSON object', (value) => {
  expect(isJsonObject(value)).toBe(false);
});
