import { afterEach, expect, test } from 'vitest';
import { createPatterns } from '../../src/workers/patterns.ts';

const patterns = createPatterns();
afterEach(() => patterns.close());

test('matches what the linear engine cannot, and stops what would not end', async () => {
  const lookAhead = { pattern: '^(?=.*\\d)[a-z\\d]+$', flags: '' };
  expect(await patterns.matches(lookAhead, ['abc1', '2'])).toBe(true);
  expect(await patterns.matches(lookAhead, ['abc1', 'abc'])).toBe(false);

  const runaway = { pattern: '^(?=a)(a+)+$', flags: '' };
  const started = performance.now();
  expect(await patterns.matches(runaway, [`${'a'.repeat(40)}!`])).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_500);
  expect(await patterns.matches(lookAhead, ['x9'])).toBe(true);
});

test('refuses to queue without bound', async () => {
  const rule = { pattern: '(?=a)', flags: '' };
  const calls = Array.from({ length: 1_001 }, () => patterns.matches(rule, ['a']));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.slice(0, 1_000).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(outcomes[1_000]).toMatchObject({ status: 'rejected', reason: { code: 'STORE_BUSY' } });
});
