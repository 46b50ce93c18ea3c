import { describe, expect, it } from 'vitest';
import { headOf } from '../lab/lab.ts';
import { useLab } from '../lab/use-lab.ts';

const { lab, value, thrown } = useLab();

describe('code as it is written everywhere works in the shared realm', () => {
  it.each([
    [
      'a class that extends Error',
      'class E extends Error { constructor(m) { super(m); this.name = "E"; this.message = m + "!"; } } return String(new E("x"));',
      'E: x!',
    ],
    [
      'ES5 inheritance',
      'function A() {} A.prototype.toString = function () { return "A"; }; function B() {} B.prototype = Object.create(A.prototype); B.prototype.constructor = B; return [String(new B()), new B().constructor === B, new B() instanceof A];',
      ['A', true, true],
    ],
    [
      'inherits as Node has it',
      'function A() { Error.call(this); this.message = "m"; } Object.setPrototypeOf(A.prototype, Error.prototype); A.super_ = Error; A.prototype.name = "A"; return String(new A());',
      'A: m',
    ],
    [
      'own members with names of built-ins',
      'const o = {}; o.hasOwnProperty = 1; o.constructor = 2; o.toString = 3; o.valueOf = 4; o.__proto__ = { p: 5 }; return [o, o.p];',
      [{ hasOwnProperty: 1, constructor: 2, toString: 3, valueOf: 4 }, 5],
    ],
    [
      'methods on subclasses of collections',
      'class M extends Map {} M.prototype.get = function () { return "mine"; }; class W extends WeakMap {} W.prototype.set = () => 1; class U extends Uint8Array {} U.prototype.map = () => 2; return [new M().get(), new W().set(), new U(1).map()];',
      ['mine', 1, 2],
    ],
    [
      'methods on subclasses of Promise, Date, RegExp',
      'class P extends Promise {} P.prototype.then = null; class D extends Date {} D.prototype.getTime = () => 1; class R extends RegExp {} R.prototype.exec = () => null; return [new D().getTime(), new R("a").test("a")];',
      [1, false],
    ],
    [
      'arrays with members of their own',
      'const a = [3, 1]; a.map = 5; a.name = "x"; class L extends Array {} L.prototype.push = () => "pushed"; return [a.map, a.name, new L().push(), [...a], a.slice(1)];',
      [5, 'x', 'pushed', [3, 1], [1]],
    ],
    ['toJSON on a class', 'function T() {} T.prototype.toJSON = () => "j"; return new T();', 'j'],
    [
      'next on a generator',
      'function* g() { yield 1; } const i = g(); i.next = () => ({ done: true }); return [...i];',
      [],
    ],
    [
      'iterators of one’s own',
      'class I extends Iterator { next() { return { done: true }; } } I.prototype.map = () => "m"; return [new I().map(), new I().toArray()];',
      ['m', []],
    ],
    [
      'errors with a message of their own',
      'const e = new SuppressedError(1, 2); e.message = "own"; const f = new AggregateError([]); f.message = "too"; return [e.message, f.message];',
      ['own', 'too'],
    ],
    [
      'mixins by assign',
      'const o = Object.assign(Object.create({ a: 1 }), { toString() { return "o"; }, constructor: 1 }); return [String(o), o.constructor];',
      ['o', 1],
    ],
    [
      'JSON with any name',
      'return JSON.parse(\'{"constructor":1,"toString":2,"__proto__":3}\').constructor;',
      1,
    ],
    [
      'functions with members',
      'function f() {} f.call = 1; f.apply = 2; f.toString = () => "f"; return [f.call, f.apply, String(f)];',
      [1, 2, 'f'],
    ],
    [
      'regular expressions',
      'const r = /(\\d+)-(?<w>\\w)/g; return ["1-a 2-b".replace(r, "$2"), [..."1-a".matchAll(r)][0].groups.w, "a,b".split(/,/)];',
      ['a b', 'a', ['a', 'b']],
    ],
    [
      'Intl',
      'return [new Intl.NumberFormat("en").format(1234.5), new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(0), [..."b a".split(" ")].sort(new Intl.Collator("en").compare)];',
      ['1,234.5', '1/1/1970', ['a', 'b']],
    ],
    ['Temporal', 'return String(Temporal.PlainDate.from("2026-01-31").add({ months: 1 }));', '2026-02-28'],
    [
      'labels of stack traces',
      'Error.stackTraceLimit; const e = {}; Error.captureStackTrace(e); return typeof e.stack;',
      'string',
    ],
  ])('%s', async (_title, code, expected) => {
    expect(await value(`(() => { ${code} })()`)).toEqual(expected);
  });
});

describe('what requests share', () => {
  it.each([
    'Array.prototype.map = () => 1',
    'Object.prototype.toString = () => 1',
    'Promise.prototype.then = () => 1',
    'Object.defineProperty(Array.prototype, "map", { value: 1 })',
    'Object.setPrototypeOf(Array.prototype, null)',
    'Object.defineProperty(globalThis, "x", { value: 1 })',
    '(() => { "use strict"; JSON.parse = 1; })()',
    '(() => { "use strict"; Error.stackTraceLimit = 0; })()',
    '(() => { "use strict"; Error.prepareStackTrace = () => 1; })()',
    '(() => { "use strict"; delete Array.prototype.map; })()',
    '(() => { "use strict"; globalThis.Array = 1; })()',
    '(() => { "use strict"; implicit = 1; })()',
    'Object.prototype.__defineGetter__("x", () => 1)',
    'Reflect.getPrototypeOf([].values()).next = 1',
    'Object.defineProperty(Intl.NumberFormat.prototype, "format", { value: 1 })',
    'URL.prototype.toString = 1',
  ])('refuses %s', async (code) => {
    expect(await thrown(code)).toMatch(/TypeError|ReferenceError/);
  });

  it.each([
    'globalThis.x = 1',
    'implicit = 1',
    'JSON.x = 1',
    'Math.x = 1; globalThis.Math.x = 1',
    'Error.stackTraceLimit = 0',
    'Array.prototype.own = 1',
  ])('forgets what loose code writes to it: %s', async (code) => {
    const guest = await lab().guest(
      `const before = [globalThis.x, typeof implicit, JSON.x, Math.x, Error.stackTraceLimit, [].own];
         ${code};
         exports.get = (req, res) => res.json(before);`,
    );
    for (let number = 1; number <= 2; number += 1) {
      expect((await guest.start(number, headOf())).events[0]?.[3]).toBe(
        '[null,"undefined",null,null,10,null]',
      );
    }
  });

  it('cannot be stamped with private fields', async () => {
    const stamp = 'class B { constructor(o) { return o; } } class S extends B { #x = "x".repeat(100_000); }';
    for (const target of [
      'Object.prototype',
      'globalThis',
      'Array',
      'JSON',
      'Reflect.getPrototypeOf(function* () {})',
    ]) {
      expect(await thrown(`(() => { ${stamp} new S(${target}); })()`)).toContain('TypeError');
    }
    const guest = await lab().guest(
      `${stamp} exports.get = (req, res) => { for (const o of [Object.prototype, globalThis, Map, Proxy]) { try { new S(o); } catch {} } res.end('ok'); }`,
      { heapMb: 16 },
    );
    const { disposed, events } = await guest.repeat(2_000, 2_000);
    expect([disposed, events.at(-1)?.[3]]).toEqual([false, 'ok']);
  });
});
