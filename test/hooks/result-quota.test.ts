import { expect, test } from 'vitest';
import { createResultQuotas } from '../../src/hooks/result-quota.ts';

test('one request takes no more than its share, and gives it back when it is over', () => {
  const open = createResultQuotas({ request: 10, server: 15 });
  const room = open();
  expect([room.take(6), room.take(5), room.take(4)]).toEqual([undefined, 'request', undefined]);
  const other = open();
  expect([other.take(6), other.take(5)]).toEqual(['server', undefined]);
  room.close();
  expect(other.take(5)).toBeUndefined();
});

test('what comes after the end of a request gets none', () => {
  const open = createResultQuotas({ request: 10, server: 10 });
  const room = open();
  room.close();
  expect(room.take(1)).toBe('request');
  room.close();
  expect(open().take(10)).toBeUndefined();
});
