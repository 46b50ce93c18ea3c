import { expect, it } from 'vitest';
import { bodyLimit } from '../../../src/http/core/body-limits.ts';

it('is as little as a route needs, and never more than the server takes', () => {
  expect(bodyLimit('token', 10_485_760)).toBe(10_240);
  expect(bodyLimit('specification', 10_485_760)).toBe(1_048_576);
  expect(bodyLimit('specification', 2000)).toBe(2000);
});
