import { expect, test } from 'vitest';
import { assertReady, mayBeEndpointPath } from '../../../src/http/access/readiness.ts';

test('until the start is complete everything that needs it is unavailable', () => {
  expect(() => assertReady(() => false)).toThrow(expect.objectContaining({ reason: 'unavailable' }));
  expect(() => assertReady(() => true)).not.toThrow();
});

test('code may have any path below a version', () => {
  for (const path of ['/1.0/report', '/v1/a/b/c/d/e', '/x/%C3%A9'])
    expect(mayBeEndpointPath(path), path).toBe(true);
  for (const path of ['', '/', '/1.0', '/1.0/', '//x', '/api/x', '/media/x', '/.call/x', '/a..b/x']) {
    expect(mayBeEndpointPath(path), path).toBe(false);
  }
});
