import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/errors.ts';
import {
  createHookResultParser,
  createResultQuotas,
  hookError,
  hookResultError,
  hookUnavailableError,
} from '../../src/hooks/hook-result.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { taskOf } from './fake-sandbox.ts';

const MB = 1_048_576;

function reading(limits = { request: 64 * MB, server: 256 * MB }) {
  const read = createHookResultParser({ jsonValues: 100_000 });
  const open = createResultQuotas(limits);
  return (
    text: string,
    more: { event?: 'beforeCreate' | 'afterGet'; fault?: (value: Json) => string } = {},
  ) => {
    const quota = open();
    const use = { quota, validate: more.fault ?? (() => undefined) };
    const result = read(text, 'a', taskOf(null, { event: more.event ?? 'beforeCreate', index: 3 }), use);
    return { quota, use, result, again: () => read(text, 'a', taskOf(null), use) };
  };
}

async function refusalOf(promise: Promise<unknown>) {
  const error = await promise.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error ?? new Error('nothing was refused');
  return { code: error.code, details: error.items[0]?.details, index: error.items[0]?.['index'] };
}

describe('the result of a hook', () => {
  const read = reading();
  const objects = (count: number) => `[${Array(count).fill('{}')}]`;

  it('has at most the values of a document for a write', async () => {
    const { details, index } = await refusalOf(read(objects(51_000)).result);
    expect([details, index]).toEqual(['a - returned more than 100000 values', 3]);
    expect(await read(objects(49_000)).result).toHaveLength(49_000);
  });

  it('has at most 250,000 values for a read', async () => {
    const page = (count: number) =>
      refusalOf(read(objects(count), { event: 'afterGet', fault: () => 'was read' }).result);
    expect((await page(124_000)).details).toBe('a - was read');
    expect((await page(126_000)).details).toBe('a - returned more than 250000 values');
  });

  it('is rejected with the fault that the task finds', async () => {
    const fault = (value: Json) => `is ${JSON.stringify(value)}`;
    expect((await refusalOf(read('{"a":1}', { fault }).result)).details).toBe('a - is {"a":1}');
  });

  it.each([
    ['{"a":', 'returned what cannot be read'],
    ['', 'returned what cannot be read'],
    ['{"b":{"__proto__":1}}', 'returned an object whose `b.__proto__` is a reserved name'],
    ['{"b":"\\ud800"}', 'returned an object whose `b` holds a lone surrogate'],
    ['{"b":1e999}', 'returned an object whose `b` is not a finite number'],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 'is nested deeper than 100 levels'],
    [`${'['.repeat(90_000)}${']'.repeat(90_000)}`, 'is nested deeper than 100 levels'],
  ])('is rejected: %.30s', async (json, why) => {
    expect((await refusalOf(read(json).result)).details).toContain(why);
  });
});

describe('hook results of one request', () => {
  it('share a quota for texts and values', async () => {
    const read = reading({ request: 2 * MB, server: 256 * MB });
    const text = read(JSON.stringify('x'.repeat(MB)));
    await text.result;
    const full = { details: 'a - returned more than one request has room for', index: undefined };
    expect(await refusalOf(text.again())).toMatchObject(full);
    // 20,000 lists of two bytes each: it is not their text that has no room.
    expect(await refusalOf(read(`[${Array(40_000).fill('[]')}]`).result)).toMatchObject({
      ...full,
      index: 3,
    });
  });

  it('share the quota of the server with other requests, which may retry', async () => {
    const read = reading({ request: 2 * MB, server: 2 * MB });
    const text = JSON.stringify('x'.repeat(MB + 1000));
    const first = read(text);
    await first.result;
    expect((await refusalOf(read(text).result)).code).toBe('ENDPOINT_BUSY');
    first.quota.close();
    expect(await read(text).result).toHaveLength(MB + 1000);
  });
});

describe('the memory quota of hook results', () => {
  it('limits one request to its share and frees it when the request ends', () => {
    const open = createResultQuotas({ request: 10, server: 15 });
    const quota = open();
    expect([quota.reserve(6), quota.reserve(5), quota.reserve(4)]).toEqual([undefined, 'request', undefined]);
    const other = open();
    expect([other.reserve(6), other.reserve(5)]).toEqual(['server', undefined]);
    quota.close();
    expect(other.reserve(5)).toBeUndefined();
  });

  it('gives nothing to a request that has ended', () => {
    const open = createResultQuotas({ request: 10, server: 10 });
    const quota = open();
    quota.close();
    expect(quota.reserve(1)).toBe('request');
    quota.close();
    expect(open().reserve(10)).toBeUndefined();
  });
});

const failure = (
  code: Parameters<typeof hookResultError>[1]['code'],
  thrown?: { message: string; code?: string },
) =>
  hookResultError('slugify', { kind: 'failure', code, message: 'for the log', ...(thrown && { thrown }) }, 3);

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
