import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run, value, thrown } = useLab();

const GONE =
  'eval WebAssembly SharedArrayBuffer Atomics FinalizationRegistry WeakRef Float16Array console process global require module ShadowRealm importScripts performance navigator gc d8 load print quit read ivm outside kit parts'.split(
    ' ',
  );

describe.each(MODES)('the global object (%s)', (isolation) => {
  it('has the names on the list', async () => {
    const names = (await value('Reflect.ownKeys(globalThis).map(String).sort()', { isolation })) as string[];
    expect(names.filter((name) => GONE.includes(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining([
        'Array',
        'BigInt',
        'Intl',
        'JSON',
        'Map',
        'Proxy',
        'Temporal',
        'TextDecoder',
        'URL',
        'structuredClone',
      ]),
    );
    expect(names).toHaveLength(67);
  });

  it.each([
    'Function("return 1")',
    'new Function("return 1")',
    'new Function("a", "b", "return this")',
    '(() => {}).constructor("return 1")()',
    'Object.getPrototypeOf(function* () {}).constructor("yield 1")',
    'Object.getPrototypeOf(async () => {}).constructor("return 1")',
    'new (Object.getPrototypeOf(async function* () {}).constructor)("yield 1")',
    'Reflect.construct(Function, ["return 1"])',
    'Reflect.construct(Function, ["return 1"], Object)',
    'class extends Function {}.constructor("return 1")',
    'new (class extends Function { constructor() { super("return 1"); } })()',
    '[].map.constructor("return 1")()',
    'exports.constructor.constructor("return 1")()',
    'res.end.constructor("return 1")()',
    'res.constructor.constructor("return 1")()',
    'req.constructor.constructor("return 1")()',
    'console.log.constructor("return 1")()',
  ])('makes no code of text: %s', async (code) => {
    expect(await thrown(code, { isolation })).toMatch(/Code generation from strings|TypeError/);
  });

  it('cannot be given the constructors back', async () => {
    const source = `
      for (const f of [function () {}, function* () {}, async () => {}, async function* () {}]) {
        try { Object.defineProperty(Object.getPrototypeOf(f), 'constructor', { value: 1 }); } catch {}
        try { delete Object.getPrototypeOf(f).constructor; } catch {}
      }
      exports.get = (req, res) => res.json([(() => 1).constructor.name, (function* () {}).constructor.name, (() => {}) instanceof Function]);`;
    expect(JSON.parse((await run(source, { isolation })).body)).toEqual([
      'Function',
      'GeneratorFunction',
      true,
    ]);
  });

  it('imports nothing', async () => {
    expect(await thrown('import("node:fs")', { isolation })).toContain('Not supported');
  });

  it('has no memory of the last match', async () => {
    const statics = `['input', '$_', 'lastMatch', '$&', 'lastParen', '$+', 'leftContext', 'rightContext', '$1', '$9']`;
    expect(
      await value(`(/(a)/.test('xa'), ${statics}.filter((name) => name in RegExp))`, { isolation }),
    ).toEqual([]);
    expect(await value('[typeof RegExp.escape, RegExp[Symbol.species] === RegExp]', { isolation })).toEqual([
      'function',
      true,
    ]);
  });
});
