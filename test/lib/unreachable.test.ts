import { expect, test } from 'vitest';
import { unreachable } from '../../src/lib/unreachable.ts';

test('a value that no type allows is a fault, whose message does not show it', () => {
  expect(() => unreachable('secret' as never)).toThrow(new TypeError('A value of an unknown kind'));
});
