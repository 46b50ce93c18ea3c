import { expect, test } from 'vitest';
import { unknownPathError } from '../../../src/http/access/unknown-path.ts';
import { USER_CLIENT } from '../fixtures.ts';

const request = (originalUrl: string, client = USER_CLIENT as typeof USER_CLIENT | null) => ({
  originalUrl,
  client,
});
const notReady = () => false;

test('a path that nothing serves is 401 for the anonymous and 404 for clients', () => {
  expect(unknownPathError(request('/nowhere', null))).toMatchObject({ code: 'NO_TOKEN', status: 401 });
  expect(unknownPathError(request('/nowhere'))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  expect(unknownPathError(request('/1.0/report'), () => true)).toMatchObject({ code: 'NOT_FOUND' });
});

test.each(['/1.0/report', '/1.0/report?a=b', '/v1/a/b/c/d/e', '/x/%C3%A9'])(
  'until startup has completed, %s may be the path of an endpoint',
  (path) => {
    expect(unknownPathError(request(path), notReady)).toMatchObject({ reason: 'unavailable' });
    expect(unknownPathError(request(path, null), notReady)).toMatchObject({ reason: 'unavailable' });
  },
);

test.each(['', '/', '/1.0', '/1.0/', '//x', '/api/x', '/media/x', '/.call/x', '/a..b/x'])(
  'no endpoint can have the path %j, before startup has completed either',
  (path) => {
    expect(unknownPathError(request(path), notReady)).toMatchObject({ code: 'NOT_FOUND' });
  },
);
