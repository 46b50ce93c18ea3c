// Values in answers of services.
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/delivery/lookups/answer-path.ts';

const ANSWER: unknown = JSON.parse(
  '{"location":{"country":{"isoCode":"GB"}},"results":[{"c":"US"},{"c":"SE"}],"__proto__":{"own":"yes"},"nothing":null}',
);

describe('valueAt', () => {
  it.each([
    ['location.country.isoCode', 'GB'],
    ['results.0.c', 'US'],
    ['results.1.c', 'SE'],
    ['__proto__.own', 'yes'],
    ['nothing', null],
  ])('finds %s', (path, value) => {
    expect(valueAt(ANSWER, path)).toBe(value);
  });

  it.each([
    ...['location.city', 'location.country.isoCode.length', 'results.2.c', 'results.length', 'results.-1'],
    ...['constructor', 'toString', 'location.constructor.name', 'nothing.more', '', '.', 'location..isoCode'],
  ])('finds nothing at %j', (path) => {
    expect(valueAt(ANSWER, path)).toBeUndefined();
  });

  it.each([null, undefined, 'text', 5, true])('finds nothing in %j', (answer) => {
    expect(valueAt(answer, 'a')).toBeUndefined();
  });
});
