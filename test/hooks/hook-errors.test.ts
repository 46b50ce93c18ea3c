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

describe('the error of a hook that refuses with a status', () => {
  type Thrown = NonNullable<Parameters<typeof hookResultError>[1]['thrown']>;
  type Event = Parameters<typeof hookResultError>[2]['event'];
  const refused = (thrown: Thrown, event: Event = 'beforeCreate', index?: number) =>
    hookResultError(
      'slugify',
      { kind: 'failure', code: 'ENDPOINT_ERROR', message: 'log', thrown },
      { event, index },
    );
  const ITEM = { field: 'title', message: 'is taken' };

  it.each(['beforeCreate', 'beforeUpdate', 'beforeDelete', 'beforeGet'] as const)(
    'has the words of its author and not its name: %s',
    (event) => {
      const { status, code, items } = refused({ message: 'not today', statusCode: 403 }, event);
      expect([status, code]).toEqual([403, 'HOOK_FAILED']);
      expect(items).toEqual([
        { code: 'API-0002', title: 'Hook Error', details: 'not today', message: 'not today' },
      ]);
    },
  );

  it('has a code of its own and the index in the batch', () => {
    const { items } = refused({ message: 'no', code: 'SLUG-TAKEN', statusCode: 409 }, 'beforeCreate', 2);
    expect(items).toMatchObject([{ code: 'SLUG-TAKEN', message: 'no', index: 2 }]);
  });

  it.each(['', ' \n', 'Error', '[object Object]'])('has a message where its author wrote %j', (message) => {
    expect(refused({ message, statusCode: 403 }).items[0]?.message).toBe('A hook refused');
  });

  it('has the headers that 401 and 405 demand, and no others', () => {
    expect(refused({ message: 'no', statusCode: 401 }).headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(refused({ message: 'no', statusCode: 405 }, 'beforeDelete').headers).toEqual({
      Allow: 'GET, HEAD, POST, PUT, OPTIONS',
    });
    for (const statusCode of [404, 409, 412, 429]) {
      expect(refused({ message: 'no', statusCode }).headers).toEqual({});
    }
  });

  it.each(['afterGet', 'afterCreate', 'afterUpdate', 'afterDelete'] as const)('is a 400 for %s', (event) => {
    const { status, items } = refused({ message: 'no', statusCode: 403 }, event);
    expect([status, items[0]?.message]).toEqual([400, 'slugify - no']);
  });

  it('lists what is wrong with each field as validation does', () => {
    const { status, code, items } = refused({ message: 'log', items: [ITEM, { ...ITEM, code: 'TAKEN' }] });
    expect([status, code]).toEqual([400, 'DOCUMENT_INVALID']);
    expect(items).toEqual([ITEM, { ...ITEM, code: 'TAKEN' }]);
    expect(refused({ message: 'log', items: [ITEM] }, 'afterGet')).toMatchObject({
      status: 400,
      items: [ITEM],
    });
  });

  it('lists them with its status, and with the position in its own batch', () => {
    const items = [{ ...ITEM, index: 7 }];
    expect(refused({ message: 'no', statusCode: 409, items })).toMatchObject({ status: 409, items: [ITEM] });
    expect(refused({ message: 'no', statusCode: 409, items }).items[0]).not.toHaveProperty('index');
    expect(refused({ message: 'no', items }, 'beforeCreate', 2).items).toEqual([{ ...ITEM, index: 2 }]);
  });

  it('names the hooks of a chain that refuse without a status', () => {
    const inner = { code: 'HOOK_FAILED', message: 'inner - no' };
    expect(refused({ ...inner, statusCode: 400, items: [{ message: 'inner - no' }] }).items).toMatchObject([
      { code: 'API-0002', message: 'slugify - inner - no' },
    ]);
    const items = [{ message: 'taken', code: 'SLUG-TAKEN' }];
    expect(refused({ ...inner, statusCode: 409, items })).toMatchObject({ status: 409, items });
    expect(refused({ code: 'TOO_DEEP', message: 'deep' })).toMatchObject({
      status: 400,
      items: [{ message: 'slugify - deep' }],
    });
  });
});
