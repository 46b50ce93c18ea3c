import { expect, it } from 'vitest';
import { createResultProjector } from '../../../../src/stores/sqlite-documents/query/result-projector.ts';

const MEGABYTE = 1024 * 1024;

it('keeps texts as they are, or projected', () => {
  expect(createResultProjector(undefined)('{"a": 1}')).toBe('{"a": 1}');
  expect(createResultProjector({ include: ['a'] })('{"_id":"x","a":1,"b":2}')).toBe('{"_id":"x","a":1}');
});

it('refuses what is too much together, by what is kept of it', () => {
  const text = JSON.stringify({ _id: 'x', a: 'a'.repeat(16 * MEGABYTE - 100), b: 1 });
  const keep = createResultProjector(undefined);
  for (let n = 0; n < 4; n += 1) keep(text);
  expect(() => keep(text)).toThrow(expect.objectContaining({ reason: 'too-much' }));
  const keepSome = createResultProjector({ include: ['b'] });
  for (let n = 0; n < 6; n += 1) expect(keepSome(text)).toBe('{"_id":"x","b":1}');
});
