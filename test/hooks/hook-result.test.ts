import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/errors.ts';
import { createHookResultParser, createResultQuotas } from '../../src/hooks/hook-result.ts';
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
