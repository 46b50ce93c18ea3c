// Challenges: the texts that clients of this dialect read, to the letter.
import { describe, expect, it } from 'vitest';
import {
  invalidCredentialsError,
  invalidTokenError,
  missingTokenError,
  notPermittedError,
} from '../../src/auth/auth-errors.ts';

describe('WWW-Authenticate challenges', () => {
  it.each([
    [missingTokenError(), 'Bearer, error="no_token", error_description="No access token supplied"'],
    [
      invalidTokenError(),
      'Bearer, error="invalid_token", error_description="Invalid or expired access token"',
    ],
    [
      invalidCredentialsError(),
      'Bearer, error="invalid_credentials", error_description="Invalid credentials supplied"',
    ],
    [notPermittedError('/1.0/library/books/config'), 'Bearer realm="/1.0/library/books/config"'],
  ])('have status 401 and the exact header: %s', (error, header) => {
    expect(error.status).toBe(401);
    expect(error.headers).toEqual({ 'WWW-Authenticate': header });
  });

  it.each([
    ['/a"b', '/a%22b'],
    ['/a\\b', '/a%5Cb'],
    ['/a\r\nSet-Cookie: x', '/a%0D%0ASet-Cookie:%20x'],
    ['/caf\u00e9', '/caf%C3%A9'],
    ['/\ud800', '/%EF%BF%BD'],
    ['/%22', '/%22'],
  ])('escape the path in the realm: %j', (path, realm) => {
    expect(notPermittedError(path).headers['WWW-Authenticate']).toBe(`Bearer realm="${realm}"`);
  });

  it('limit the length of the realm', () => {
    expect(notPermittedError(`/${'x'.repeat(20_000)}`).headers['WWW-Authenticate']?.length).toBeLessThan(
      1100,
    );
  });
});
