import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run, value, thrown } = useLab();

const GONE =
  'eval WebAssembly SharedArrayBuffer Atomics FinalizationRegistry WeakRef Float16Array console process require module ShadowRealm importScripts performance navigator gc d8 load print quit read ivm outside kit parts'.split(
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
    expect(names).toHaveLength(69);
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

describe.each(MODES)('buffers (%s)', (isolation) => {
  it.each([
    'new ArrayBuffer(8, { maxByteLength: 16 })',
    'Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }])',
    'Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }], Array)',
    'new (class extends ArrayBuffer { constructor() { super(8, { maxByteLength: 16 }); } })()',
    'new (new Uint8Array(1).buffer.constructor)(8, { maxByteLength: 16 })',
    'new ArrayBuffer.prototype.constructor(8, { maxByteLength: 16 })',
    'new (new ArrayBuffer(1).slice(0).constructor)(8, { maxByteLength: 16 })',
    'new ArrayBuffer[Symbol.species](8, { maxByteLength: 16 })',
    'new (structuredClone(new ArrayBuffer(1)).constructor)(8, { maxByteLength: 16 })',
    'new (Object.getPrototypeOf(ArrayBuffer.prototype.slice.call(new ArrayBuffer(1))).constructor)(8, { maxByteLength: 16 })',
  ])('are never made to be resized: %s', async (code) => {
    expect(await thrown(code, { isolation })).toContain('fixed size');
  });

  it('are otherwise those of the language', async () => {
    const checks = `[
      new ArrayBuffer(8).byteLength, ArrayBuffer.isView(new Uint8Array(1)), new ArrayBuffer(8) instanceof ArrayBuffer,
      new Uint8Array(4).buffer instanceof ArrayBuffer, new (class Own extends ArrayBuffer {})(3).constructor.name,
      new ArrayBuffer(8).slice(2).byteLength, ArrayBuffer.name, ArrayBuffer.length, new ArrayBuffer(1).resizable,
      Object.prototype.toString.call(new ArrayBuffer(1)), ArrayBuffer.prototype.constructor === ArrayBuffer,
      ArrayBuffer[Symbol.species] === ArrayBuffer, Object.keys(ArrayBuffer).length,
    ]`;
    expect(await value(checks, { isolation })).toEqual([
      ...[8, true, true, true, 'Own', 6, 'ArrayBuffer', 1, false, '[object ArrayBuffer]', true, true, 0],
    ]);
    expect(await thrown('ArrayBuffer(8)', { isolation })).toContain("requires 'new'");
  });
});
