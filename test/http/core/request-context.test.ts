import { describe, expect, it } from 'vitest';
import { createContextFactory, createRequestDeadline } from '../../../src/http/core/request-context.ts';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { ADMIN_CLIENT, callerOf, collection } from '../fixtures.ts';

describe('the deadline of a request', () => {
  it('is `limits.queryMs` from now, less what verifying the token took', () => {
    const state = { now: 1000 };
    const config = { limits: { queryMs: 500 } } as Parameters<typeof createRequestDeadline>[0]['config'];
    const deadline = createRequestDeadline({ config, now: () => state.now });
    const request = (tokenMs: number) => ({ tokenMs }) as Parameters<typeof deadline>[0];
    expect(deadline(request(0))).toBe(1500);
    state.now = 2000;
    expect(deadline(request(120))).toBe(2380);
  });
});

describe('the context of a request', () => {
  const config = { limits: { queryMs: 500 } } as Parameters<typeof createContextFactory>[0]['config'];
  const context = createContextFactory({ config, now: () => 1000 });
  type Request = Parameters<typeof context>[0];

  it('holds the deadline and the caller', () => {
    const request = {
      client: ADMIN_CLIENT,
      caller: callerOf(ADMIN_CLIENT),
      tokenMs: 200,
      originalUrl: '/1.0/x',
    };
    const { deadline, caller } = context(request as Request);
    expect([deadline, caller.clientId]).toEqual([1300, 'boss']);
    expect(caller.access(collection('books')).update).toBe(MATCH_ALL);
  });

  it('keeps the token of a signed upload from hooks', () => {
    const token = `${'h'.repeat(36)}.${'p'.repeat(300)}.${'s'.repeat(43)}`;
    const { origin } = context({ originalUrl: `/api/media/${token}?a=b` } as Request);
    expect(origin?.http?.url).toBe('/api/media/<token>?a=b');
  });

  it('holds the request as hooks see it', () => {
    const told = { method: 'GET', headers: { accept: 'a/b' }, client: ADMIN_CLIENT };
    const address = { clientAddress: '203.0.113.9', ip: '10.0.0.1' };
    const request = { ...told, ...address, originalUrl: '/1.0/x?y=1', id: 'r' } as unknown as Request;
    expect(context(request).origin).toEqual({
      requestId: 'r',
      client: ADMIN_CLIENT,
      http: { ...told, ip: '203.0.113.9', url: '/1.0/x?y=1' },
    });
  });

  it('has no name for the anonymous', () => {
    const { caller } = context({ client: null, caller: callerOf(null), originalUrl: '/1.0/x' } as Request);
    expect(caller.clientId).toBeNull();
    expect(caller.access(collection('books')).read).toBeNull();
  });
});
