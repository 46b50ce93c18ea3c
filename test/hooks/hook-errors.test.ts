import { describe, expect, it } from 'vitest';
import { hookError, hookResultError, hookUnavailableError } from '../../src/hooks/hook-errors.ts';

const failure = (
  code: Parameters<typeof hookResultError>[1]['code'],
  thrown?: { message: string; code?: string },
) =>
  hookResultError(
    'slugify',
    { kind: 'failure', code, message: 'for the log', ...(thrown && { thrown }) },
    { event: 'beforeCreate', index: 3 },
  );

describe('the error of a hook that rejects a document', () => {
  it('is a 400 in the words of the older dialect', () => {
    const { status, items } = hookError('slugify', 'no title', {});
    expect(status).toBe(400);
    expect(items).toEqual([
      {
        code: 'API-0002',
        title: 'Hook Error',
        details: 'slugify - no title',
        message: 'slugify - no title',
        hookName: 'slugify',
      },
    ]);
  });

  it('contains the message and code that the hook threw and the index in the batch', () => {
    const { items } = failure('ENDPOINT_ERROR', { message: 'taken', code: 'SLUG-TAKEN' });
    expect(items).toMatchObject([{ code: 'SLUG-TAKEN', details: 'slugify - taken', index: 3 }]);
  });

  it.each(['', 'a b', 'x'.repeat(101), '<b>', 'a\n'])('replaces the code %j', (code) => {
    expect(failure('ENDPOINT_ERROR', { message: 'm', code }).items).toMatchObject([{ code: 'API-0002' }]);
  });

  it('does not contain the text for the log', () => {
    expect(failure('ENDPOINT_ERROR').items).toMatchObject([{ details: 'slugify - failed' }]);
  });

  it.each([
    ['a\r\nb\u0000\u001b[31mc\u2028d\u202ee', 'a b [31mc d e'],
    ['x'.repeat(1000), 'x'.repeat(300)],
    ['\ud800', '\ufffd'],
    [`${'x'.repeat(299)}\u{1f600}`, `${'x'.repeat(299)}\ufffd`],
  ])('cleans %j to %j', (message, shown) => {
    expect(failure('ENDPOINT_ERROR', { message }).items[0]?.details).toBe(`slugify - ${shown}`);
  });
});

describe('the error of a hook that exceeds a limit', () => {
  it.each([
    ['ENDPOINT_TIMEOUT', 'took longer than it may'],
    ['ENDPOINT_MEMORY', 'used more memory than it may'],
    ['ENDPOINT_RESPONSE_TOO_LARGE', 'returned more than it may'],
  ] as const)('%s is a 400', (code, why) => {
    const { status, items } = failure(code, { message: 'never shown' });
    expect([status, items[0]?.details]).toEqual([400, `slugify - ${why}`]);
  });
});

describe('the error of a hook that could not run', () => {
  it.each([
    ['ENDPOINT_CRASHED', 502, undefined],
    ['ENDPOINT_BUSY', 503, '1'],
    ['ENDPOINT_RATE_LIMITED', 429, '60'],
    ['SANDBOX_DISABLED', 503, '60'],
  ] as const)('%s keeps its status', (code, status, retry) => {
    const error = failure(code);
    expect([error.code, error.status, error.headers['Retry-After']]).toEqual([code, status, retry]);
  });

  it('names a hook that is suspended', () => {
    const error = hookUnavailableError('slugify', 'is suspended');
    expect([error.code, error.status]).toEqual(['ENDPOINT_SUSPENDED', 503]);
    expect(error.items[0]?.message).toBe('The hook `slugify` is suspended');
    expect(failure('SANDBOX_DISABLED').items[0]?.message).toBe('Custom code is switched off');
  });
});
