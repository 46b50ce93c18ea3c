import { describe, expect, it } from 'vitest';
import { createEventParser, type GuestEvent } from '../../src/sandbox-supervisor/result-frames.ts';
import { createModuleVersion } from '../helpers/sandbox/sandbox.ts';

const ENDPOINT = createModuleVersion('code', { limits: { responseBytes: 10 } });
const HOOK = createModuleVersion('code', { kind: 'hook', limits: { responseBytes: 10 } });
const HEAD = '[200,[],"text"]';

const parse = createEventParser();
const endpoint = (event: Partial<GuestEvent>) =>
  parse(ENDPOINT, { kind: 'end', head: HEAD, body: '', ...event });
const hook = (event: Partial<GuestEvent>) => parse(HOOK, { kind: 'result', head: '{}', body: '', ...event });

describe('an event that ends an invocation', () => {
  it('is the response of an endpoint', () => {
    const response = { kind: 'response', status: 200, headers: [] };
    expect(endpoint({ body: 'x' })).toEqual({ ...response, body: 'x' });
    expect(endpoint({ body: 'y' })).toEqual({ ...response, body: 'y' });
    const notFound = { status: 404, headers: [['a', 'b']] };
    expect(endpoint({ head: '[404,[["a","b"]],"text"]' })).toMatchObject(notFound);
  });

  it('is the result of a hook', () => {
    expect(hook({ body: '{"a":1}' })).toEqual({ kind: 'result', json: '{"a":1}' });
    expect(hook({ body: '' })).toEqual({ kind: 'result', json: undefined });
  });

  it('is a failure with what was thrown', () => {
    expect(hook({ kind: 'error', head: '{"message":"no","stack":"at","code":"E"}' })).toEqual({
      kind: 'failure',
      code: 'ENDPOINT_ERROR',
      message: 'no',
      stack: 'at',
      thrown: { message: 'no', code: 'E' },
    });
    expect(endpoint({ kind: 'error', head: '{"message":"no","tooLarge":true}' })).toEqual({
      kind: 'failure',
      code: 'ENDPOINT_RESPONSE_TOO_LARGE',
      message: 'no',
    });
    expect(endpoint({ kind: 'silent', head: '' })).toMatchObject({ code: 'ENDPOINT_TIMEOUT' });
    expect(endpoint({ kind: 'next', head: '{}' })).toEqual({ kind: 'next' });
  });

  it('is a failure or a pass with a list of errors', () => {
    const body = '[{"field":"a","message":"m"}]';
    const items = [{ field: 'a', message: 'm' }];
    expect(hook({ kind: 'error', head: '{"message":"no","statusCode":409}', body })).toMatchObject({
      thrown: { message: 'no', statusCode: 409, items },
    });
    expect(endpoint({ kind: 'next', head: '{"message":"no","statusCode":400}', body })).toEqual({
      kind: 'next',
      error: { message: 'no', statusCode: 400, items },
    });
    expect(endpoint({ kind: 'next', head: '{"message":"no"}', body: Buffer.from(body) })).toMatchObject({
      error: { items },
    });
  });

  it('names the limit that it broke', () => {
    expect(endpoint({ body: 'x'.repeat(11) })).toBe('responseBytes');
    expect(endpoint({ body: Buffer.alloc(11) })).toBe('responseBytes');
    expect(hook({ body: 'é'.repeat(6) })).toBe('responseBytes');
  });

  it.each([
    ['a broken head', () => endpoint({ head: '[200]' })],
    ['the same broken head again', () => endpoint({ head: '[200]' })],
    ['a broken error', () => endpoint({ kind: 'error', head: '{}' })],
    ['a broken next', () => endpoint({ kind: 'next', head: '[]' })],
    ['the result of an endpoint', () => endpoint({ kind: 'result' })],
    ['the response of a hook', () => hook({ kind: 'end', head: HEAD })],
    ['a broken list of errors', () => hook({ kind: 'error', head: '{"message":"no"}', body: '[1]' })],
    ['a broken list for next', () => endpoint({ kind: 'next', head: '{"message":"no"}', body: '[' })],
    ['a list beside no error', () => endpoint({ kind: 'next', head: '{}', body: '[{"message":"m"}]' })],
    [
      'a list that an endpoint threw',
      () => endpoint({ kind: 'error', head: '{"message":"no"}', body: '[{"message":"m"}]' }),
    ],
    ['next of a hook', () => hook({ kind: 'next' })],
  ])('breaks the protocol with %s', (_, read) => {
    expect(read()).toBe('protocol');
  });
});
