import { describe, expect, it } from 'vitest';
import { createHeaderGrant, isFraming } from '../../src/endpoints/header-rules.ts';

const FRAMING = [
  ...['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
];
/** What speaks for more than one answer, or carries a credential. */
const BY_NAME = [
  ...['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'date', 'server', 'set-cookie'],
  ...['strict-transport-security', 'access-control-allow-origin', 'access-control-allow-credentials'],
  ...['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-url', 'x-forwarded-for'],
  ...['x-request-id', 'x-cache', 'x-cache-lookup', 'x-content-type-options', 'x-frame-options'],
  ...['content-security-policy', 'clear-site-data', 'alt-svc', 'service-worker-allowed', 'report-to'],
];

describe('a grant', () => {
  it('allows what it lists, in any case', () => {
    const grant = createHeaderGrant(['Accept', 'x-one']);
    expect(['accept', 'x-one', 'x-on', 'x-one2', 'accept-language'].map(grant.allows)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([grant.exact, grant.open]).toEqual([['accept', 'x-one'], false]);
  });

  it('allows what a pattern covers', () => {
    const grant = createHeaderGrant(['x-*', 'etag']);
    expect(['x-', 'x-a', 'etag', 'xa', 'content-type'].map(grant.allows)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(grant.open).toBe(true);
  });

  it.each(FRAMING)('never allows %s', (name) => {
    expect(isFraming(name)).toBe(true);
    const grant = createHeaderGrant([name, `${name.slice(0, 2)}*`, '*']);
    expect(grant.allows(name)).toBe(false);
    expect(grant.exact).toEqual([]);
  });

  it.each(BY_NAME)('allows %s by its name and by no pattern', (name) => {
    expect(isFraming(name)).toBe(false);
    expect(createHeaderGrant(['*', 'x-*', `${name.slice(0, -1)}*`]).allows(name)).toBe(false);
    expect(createHeaderGrant([name]).allows(name)).toBe(true);
  });

  it('of nothing allows nothing, whatever objects inherit', () => {
    const grant = createHeaderGrant([]);
    expect(['constructor', '__proto__', ''].map(grant.allows)).toEqual([false, false, false]);
  });
});
