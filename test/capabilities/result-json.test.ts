import { expect, test } from 'vitest';
import { createResultJoiner } from '../../src/capabilities/result-json.ts';

test('results of Model are joined to one text unless they are too large together', async () => {
  const write = createResultJoiner();
  expect(await write('')).toBe('');
  expect(await write('{"a":1},{"a":2}')).toBe('{"a":1},{"a":2}');
  expect(await write(['{"a":1}', ',', '{"a":2}'])).toBe('{"a":1},{"a":2}');
  const large = 'ü'.repeat(2 * 1024 * 1024);
  expect(await write([large, large])).toBe(`${large}${large}`);
  expect(await write([large, large, 'x'])).toBeUndefined();
});

test('long results of Model are joined one per tick of the event loop, short ones at once', async () => {
  const write = createResultJoiner();
  const order: string[] = [];
  const long = 'x'.repeat(100_000);
  const tick = () => {
    order.push('turn');
    if (order.length < 20) setImmediate(tick);
  };
  setImmediate(tick);
  const written = ['a', 'b', 'c'].map((name) => write([long]).then(() => order.push(name)));
  await write(['x']).then(() => order.push('short'));
  await Promise.all(written);
  expect(order.filter((what, at) => what !== 'turn' || order[at - 1] !== 'turn')).toEqual([
    ...['short', 'turn', 'a', 'turn', 'b', 'turn', 'c'],
  ]);
});
