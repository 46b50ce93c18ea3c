import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { lab } = useLab();
const GET = 'exports.get = () => {};';

async function inspected(code: string, options: object = {}) {
  const found = await lab().inspect(`'use strict'; ${GET} ${code}`, options);
  if (!found.ok) throw new Error(found.message);
  const { openapi, warnings } = found;
  return { openapi: openapi === null ? null : JSON.parse(openapi), warnings };
}

describe('the description that a module exports', () => {
  it('is copied as JSON', async () => {
    expect(
      await inspected(`
        exports.openapi = {
          GET: { summary: 'Ä "quoted"', parameters: [{ in: 'query', required: false, example: -0.5, left: undefined }] },
          get POST() { return new Proxy({ deprecated: null }, {}); },
          PUT: { toJSON: (key) => ({ key }) },
          PATCH: { at: new Date(0) },
        };`),
    ).toEqual({
      openapi: {
        GET: { summary: 'Ä "quoted"', parameters: [{ in: 'query', required: false, example: -0.5 }] },
        POST: { deprecated: null },
        PUT: { key: 'PUT' },
        PATCH: { at: '1970-01-01T00:00:00.000Z' },
      },
      warnings: [],
    });
  });

  it.each(['', 'exports.openapi = null;', 'exports.openapi = undefined;'])(
    'is absent without a warning: %s',
    async (code) => {
      expect(await inspected(code)).toEqual({ openapi: null, warnings: [] });
    },
  );

  it('of a hook is not read', async () => {
    const source = 'module.exports = () => {}; module.exports.openapi = { GET: 1n };';
    expect(await lab().inspect(source, { kind: 'hook' })).toMatchObject({ openapi: null, warnings: [] });
  });

  it('keeps a member `__proto__` a member, for the server to refuse', async () => {
    const source = `exports.openapi = JSON.parse('{"__proto__":{"GET":1}}');`;
    const found = await lab().inspect(`${GET} ${source}`);
    expect(found).toMatchObject({ openapi: '{"__proto__":{"GET":1}}', warnings: [] });
  });

  it.each([
    ['is a big integer', '{ GET: { a: [1, 10n] } }', 'openapi.GET.a[1] is of the type bigint'],
    ['is a function', '{ GET: () => {} }', 'openapi.GET is of the type function'],
    ['is a symbol', '{ GET: Symbol() }', 'openapi.GET is of the type symbol'],
    ['is undefined in a list', '{ GET: [undefined] }', 'openapi.GET[0] is of the type undefined'],
    ['is a list with holes', '{ GET: new Array(1e9) }', 'openapi.GET[0] is of the type undefined'],
    ['is not finite', '{ GET: { a: NaN } }', 'openapi.GET.a is no finite number'],
    [
      'holds itself',
      '(() => { const a = {}; a.a = a; return a; })()',
      'deeper than 40 levels, perhaps in itself',
    ],
    ['is a text of ten megabytes', '{ GET: "x".repeat(1e7) }', 'openapi has more than 64 KB of JSON'],
    ['has a name of ten megabytes', '{ ["x".repeat(1e7)]: 1 }', 'openapi has more than 64 KB of JSON'],
    [
      'has many texts',
      '{ GET: new Array(5000).fill("x".repeat(50)) }',
      'openapi has more than 64 KB of JSON',
    ],
    ['has many quotes', "{ GET: '\"'.repeat(40000) }", 'openapi has more than 64 KB of JSON'],
    [
      'has a hundred thousand members',
      'Object.assign({}, new Array(1e5).fill(1))',
      'openapi has more than 64 KB of JSON',
    ],
    ['has many numbers', '{ GET: new Array(20000).fill(1) }', 'openapi has more than 10000 values'],
    ['throws', '{ get GET() { throw new Error("mine"); } }', 'openapi cannot be read: mine'],
    ['throws deep inside', '{ GET: { a: { toJSON() { throw 1; } } } }', 'openapi.GET.a cannot be read: 1'],
    [
      'throws what throws',
      '{ get GET() { throw { get message() { throw 1; } }; } }',
      'openapi cannot be read: The thrown value cannot be read',
    ],
    [
      'is a list with a length of its own',
      'new Proxy([], { get: (list, key) => (key === "length" ? { valueOf: () => 1e9 } : list[key]) })',
      'openapi has no length',
    ],
    [
      'is a revoked proxy',
      '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()',
      'openapi cannot be read',
    ],
    ['calls itself', '{ get GET() { return this.GET; } }', 'openapi cannot be read: Maximum call stack'],
  ])('is left out with a warning where it %s', async (_, value, warning) => {
    expect(await inspected(`exports.openapi = ${value};`)).toEqual({
      openapi: null,
      warnings: [expect.stringContaining(warning)],
    });
  });

  it('has names that are cut in warnings', async () => {
    const deep = '{ a: '.repeat(39).replaceAll('a', 'x'.repeat(500));
    const { warnings } = await inspected(`exports.openapi = ${deep} 1n ${'}'.repeat(39)};`);
    expect(warnings).toEqual([expect.stringMatching(/^openapi\.x{60}\.x+.* is of the type bigint/)]);
    expect(warnings[0]?.length).toBeLessThan(1000);
  });

  it('has a warning beside the one about the realm', async () => {
    const { warnings } = await inspected('Array.prototype.x = 1; exports.openapi = 1n;');
    expect(warnings).toEqual([
      expect.stringContaining('In the realm that all requests share'),
      expect.stringContaining('bigint'),
    ]);
  });

  it.each([
    'exports.openapi = { get GET() { for (;;); } };',
    'exports.openapi = new Proxy({}, { ownKeys() { for (;;); } });',
    'exports.openapi = { toJSON() { for (;;); } };',
    'Object.defineProperty(exports, "openapi", { get() { for (;;); } });',
  ])('is read within the time of the loading: %s', async (code) => {
    expect(await lab().inspect(`${GET} ${code}`, { loadMs: 50 })).toMatchObject({
      ok: false,
      code: 'ENDPOINT_LOAD',
      message: 'Loading takes more than 50 ms',
    });
  });

  it('is read with built-in functions that the module cannot replace', async () => {
    const { openapi, warnings } = await inspected(
      `
        JSON.stringify = () => 'evil'; Object.keys = () => ['evil']; Array.isArray = () => true; Reflect.apply = () => 'evil';
        String.prototype.slice = () => 'evil'; Object.prototype.toJSON = undefined;
        exports.openapi = { GET: { summary: 'mine' } };`,
    );
    expect(openapi).toEqual({ GET: { summary: 'mine' } });
    expect(warnings).toEqual([expect.stringContaining('In the realm')]);
  });
});
