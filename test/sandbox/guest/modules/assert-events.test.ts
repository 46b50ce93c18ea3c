// `assert` and `events`, beside Node's own.
import { describe, expect, it } from 'vitest';
import { useLab } from '../../lab/use-lab.ts';
import { differences } from './compare.ts';

const { answer } = useLab();
const PRELUDE = `
const util = require('util'); const assert = require('assert'); const EventEmitter = require('events');
const cycle = { name: 'c', list: [] }; cycle.self = cycle; cycle.list.push(cycle);
class Animal { constructor() { this.legs = 4; } } class Dog extends Animal {} function Old() { this.a = 1; }
const named = function named() {}; const symbol = Symbol('s');`;
describe('assert does what that of Node does', () => {
  it('in every comparison', async () => {
    const checks = [
      ...[
        'assert(0)',
        'assert(1)',
        'assert.ok()',
        'assert.equal(1, "1")',
        'assert.equal(1, 2)',
        'assert.strictEqual(1, "1")',
        'assert.notStrictEqual(1, 1)',
        'assert.notEqual(1, 1)',
        'assert.fail()',
        'assert.fail("m")',
      ],
      ...[
        'assert.strictEqual(1, 2, "own")',
        'assert.strictEqual(1, 2, new TypeError("mine"))',
        'assert.deepStrictEqual({ a: 1 }, { a: 1 })',
        'assert.deepStrictEqual({ a: 1 }, { a: 2 })',
        'assert.notDeepEqual({}, {})',
        'assert.strict.equal(1, "1")',
      ],
      ...[
        'assert.throws(() => { throw new TypeError("a b"); })',
        'assert.throws(() => {})',
        'assert.throws(() => { throw new TypeError("a"); }, TypeError)',
        'assert.throws(() => { throw new TypeError("a"); }, RangeError)',
        'assert.throws(() => { throw new Error("a b"); }, /b/)',
      ],
      ...[
        'assert.throws(() => { throw new Error("a b"); }, /c/)',
        'assert.throws(() => { throw new Error("a"); }, { message: "a" })',
        'assert.throws(() => { throw new Error("a"); }, { message: "b" })',
        'assert.throws(() => { throw 1; }, (e) => e === 1)',
        'assert.throws(1)',
      ],
      ...[
        'assert.doesNotThrow(() => {})',
        'assert.doesNotThrow(() => { throw new Error("x"); })',
        'assert.ifError(null)',
        'assert.ifError(new Error("x"))',
        'assert.match("abc", /b/)',
        'assert.match("abc", /x/)',
        'assert.doesNotMatch("abc", /b/)',
        'assert.match("a", "a")',
      ],
    ];
    const told = checks.map(
      (check) =>
        `(() => { try { ${check}; return 'fine'; } catch (error) { return [error.name, error.code ?? null, error.operator ?? null, error.generatedMessage ?? null]; } })()`,
    );
    expect(await differences(answer, PRELUDE, told)).toEqual([]);
  });

  it('of promises', async () => {
    const source = `${PRELUDE}
      const said = (promise) => promise.then(() => 'fine', (error) => error.code);
      exports.get = async (req, res) => res.json([
        await said(assert.rejects(Promise.reject(new Error('a')))), await said(assert.rejects(async () => {}, Error)),
        await said(assert.doesNotReject(Promise.resolve())), await said(assert.doesNotReject(Promise.reject(new Error('a')))), await said(assert.rejects(1)),
      ]);`;
    expect(await answer(source)).toEqual([
      'fine',
      'ERR_ASSERTION',
      'fine',
      'ERR_ASSERTION',
      'ERR_INVALID_ARG_TYPE',
    ]);
  });
});

it('events do what those of Node do', async () => {
  const scene = (code: string) =>
    `(() => { const e = new EventEmitter(); const seen = []; const note = (name) => (...all) => { seen.push([name, ...all]); }; ${code}; return seen; })()`;
  const scenes = [
    ...[
      'e.on("a", note(1)); e.on("a", note(2)); e.prependListener("a", note(0)); seen.push(e.emit("a", "x", 2), e.emit("b"))',
      'e.once("a", note(1)); e.emit("a"); e.emit("a"); seen.push(e.listenerCount("a"))',
    ],
    ...[
      'const f = note(1); e.on("a", f).on("a", f).off("a", f); e.emit("a"); seen.push(e.listeners("a").length)',
      'e.emit("error", new TypeError("x"))',
      'e.emit("error", 5)',
      'e.on("error", note("e")); e.emit("error", 5)',
    ],
    ...[
      'e.on("newListener", note("new")); e.on("x", named); e.once("y", named)',
      'e.on("removeListener", note("gone")); e.on("x", named); e.off("x", named); e.on("x", named); e.removeAllListeners("x")',
      'e.on("removeListener", note("gone")); e.on("x", named); e.removeAllListeners(); seen.push(e.eventNames())',
    ],
    ...[
      'e.on("a", 1)',
      'e.off("a", named)',
      'e.on("a", () => e.on("a", note("late"))); e.emit("a"); seen.push(e.listenerCount("a"))',
      'e.once("a", named); seen.push(e.rawListeners("a")[0].listener === named, e.listeners("a")[0] === named)',
    ],
    ...[
      'seen.push(e.getMaxListeners(), e.setMaxListeners(3) === e, e.getMaxListeners())',
      'e.on(symbol, note("s")); e.emit(symbol); seen.push(e.eventNames().length)',
      'e.on("a", function () { seen.push(this === e); }); e.emit("a")',
      'e.on("__proto__", note("p")); e.emit("__proto__"); seen.push(e.emit("constructor"))',
    ],
    ...[
      'e.on(EventEmitter.errorMonitor, note("m")); e.on("error", note("e")); e.emit("error", 1)',
      'seen.push(EventEmitter.EventEmitter === EventEmitter, EventEmitter.defaultMaxListeners)',
      'const a = note(1); e.on("a", a); e.on("a", () => e.off("a", b)); const b = note(2); e.on("a", b); e.emit("a"); e.emit("a")',
    ],
    ...[
      'function Old2() { EventEmitter.call(this); } util.inherits(Old2, EventEmitter); const o = new Old2(); const o2 = new Old2(); o.on("a", note("o")); o2.emit("a"); o.emit("a")',
      'class My extends EventEmitter {} const m = new My(); m.on("a", note("m")); m.emit("a", 1)',
      'e.prependOnceListener("a", note(1)); e.emit("a"); e.emit("a")',
    ],
  ];
  expect(await differences(answer, PRELUDE, scenes.map(scene))).toEqual([]);
  const source = `const { once, EventEmitter } = require('events'); exports.get = async (req, res) => {
    const e = new EventEmitter(); const good = once(e, 'a'); e.emit('a', 1, 2); const bad = once(e, 'b'); e.emit('error', new Error('x'));
    res.json([await good, await bad.catch((error) => error.message), e.eventNames()]); };`;
  expect(await answer(source)).toEqual([[1, 2], 'x', []]);
});
