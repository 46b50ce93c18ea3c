import { expect, it } from 'vitest';
import { bodyLimit } from '../../../src/http/core/body-parsers.ts';

it('the limit of a body is that of its family of routes, never more than that of the server', () => {
  expect(bodyLimit('token', 10_485_760)).toBe(10_240);
  expect(bodyLimit('specification', 10_485_760)).toBe(1_048_576);
  expect(bodyLimit('specification', 2000)).toBe(2000);
});
