// `util`, beside Node's own.
import { describe, expect, it } from 'vitest';
import { useLab } from '../../lab/use-lab.ts';
import { differences } from './compare.ts';

const { answer } = useLab();
const PRELUDE = `
const util = require('util'); const assert = require('assert'); const EventEmitter = require('events');
const cycle = { name: 'c', list: [] }; cycle.self = cycle; cycle.list.push(cycle);
class Animal { constructor() { this.legs = 4; } } class Dog extends Animal {} function Old() { this.a = 1; }
const named = function named() {}; const symbol = Symbol('s');`;
const VALUES = [
  ...[
    '1',
    '-0',
    'NaN',
    '10n',
    '"a"',
    '"it\'s"',
    '"a\\nb\\u0001"',
    'true',
    'null',
    'undefined',
    'symbol',
    '[]',
    '[1, "a", null]',
    '[1,,3]',
    '[undefined]',
  ],
  ...[
    '{}',
    '{ a: 1, "b c": 2 }',
    '{ a: { b: { c: { d: 1 } } } }',
    '[[[[1]]]]',
    'cycle',
    'new Map([[1, { a: 2 }]])',
    'new Set([1, "b"])',
    'new Map()',
    'named',
    '() => 1',
  ],
  ...[
    'class {}',
    'Dog',
    'new Dog()',
    'new Old()',
    'Object.create(null)',
    'Object.assign(Object.create(null), { a: 1 })',
    '/a/gi',
    'new Date(0)',
    'new Date(NaN)',
  ],
  ...[
    'new Uint8Array([1, 2])',
    'new Number(1)',
    'new String("ab")',
    '{ get a() { return 1; }, set b(c) {} }',
    '{ [symbol]: 1 }',
    '{ a() {} }',
  ],
  ...[
    '"x".repeat(200)',
    '["x".repeat(60), "y".repeat(60)]',
    '{ a: "x".repeat(50), b: "y".repeat(50), c: ["z".repeat(50)] }',
    '{ a: 1, b: [1, { c: 2 }] }',
    '[{ a: 1 }, { b: 2 }]',
  ],
  ...[
    'Object.assign(() => 1, { a: 1 })',
    '{ inspect: 1, [Symbol.for("nodejs.util.inspect.custom")]: () => "custom" }',
    'Object(1n)',
    'Object(symbol)',
  ],
];

describe('util does what that of Node does', () => {
  it('inspect', async () => {
    const expressions = VALUES.flatMap((text) => [
      `util.inspect(${text})`,
      `util.inspect({ inner: ${text} }, { depth: 0 })`,
      `util.inspect([${text}], false, 1)`,
      `util.inspect(${text}, { depth: null, breakLength: 40 })`,
      `util.inspect(${text}, { compact: false })`,
    ]);
    expect(
      await differences(answer, PRELUDE, [
        ...expressions,
        'util.inspect(Array.from({ length: 3 }, () => "y".repeat(90)), { maxArrayLength: 2 })',
      ]),
    ).toEqual([]);
  });

  it('format', async () => {
    const values = VALUES.flatMap((text) =>
      ['%s', '%d', '%i', '%f', '%j', '%O', '%c'].map((directive) => `util.format('<${directive}>', ${text})`),
    );
    const more = [
      '"a", "b", 1',
      '"%s"',
      '"%%", 1',
      '"%s %s", 1',
      '1, 2, "c"',
      '"%x", 1',
      '"a%", 1',
      '{ a: 1 }, "b"',
      '',
      '"%s", "a", { b: 1 }',
      '"%%"',
    ];
    expect(
      await differences(answer, PRELUDE, [...values, ...more.map((text) => `util.format(${text})`)]),
    ).toEqual([]);
  });

  it('what is equal', async () => {
    const some = [
      '1',
      '"1"',
      'NaN',
      '-0',
      '0',
      'null',
      'undefined',
      '[]',
      '[1]',
      '["1"]',
      '{}',
      '{ a: 1 }',
      '{ a: "1" }',
      '{ a: undefined }',
      'new Dog()',
      'new Animal()',
      'cycle',
    ];
    const kinds = [
      'new Date(0)',
      'new Date(1)',
      '/a/',
      '/a/g',
      'new Map([[1, { a: 1 }]])',
      'new Map([[1, { a: 2 }]])',
      'new Set([1, { a: 1 }])',
      'new Set([{ a: 1 }, 1])',
      'new Error("a")',
      'new Uint8Array([1])',
      'new Number(1)',
      'Object.create(null)',
      '[1,,2]',
      '{ [symbol]: 1 }',
    ];
    const all = [...some, ...kinds];
    const pairs = all.flatMap((a) => all.map((b) => [a, b]));
    const expressions = pairs.flatMap(([a, b]) => [
      `util.isDeepStrictEqual(${a}, ${b})`,
      `(() => { try { assert.deepEqual(${a}, ${b}); return true; } catch (error) { return error.code; } })()`,
    ]);
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });

  it('the rest', async () => {
    const expressions = [
      ...[
        '(() => { function A() {} util.inherits(A, EventEmitter); const a = new A(); return [a instanceof EventEmitter, A.super_ === EventEmitter]; })()',
      ],
      ...[
        'util.inherits(Old, null)',
        'util.promisify(1)',
        'util.callbackify(1)',
        'typeof util.promisify(named)',
        'util.isArray([])',
        'util.deprecate(() => 3, "x")()',
      ],
      ...VALUES.flatMap((text) =>
        [
          'isDate',
          'isRegExp',
          'isMap',
          'isSet',
          'isNativeError',
          'isTypedArray',
          'isUint8Array',
          'isPromise',
        ].map((name) => `util.types.${name}(${text})`),
      ),
      ...[
        'util.stripVTControlCharacters("\\u001b[31mred\\u001b[0m")',
        'util.toUSVString("a\\ud800")',
        'util._extend({ a: 1 }, { b: 2 })',
        'util.debuglog("x")("y")',
      ],
    ];
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });

  it('promises of functions with callbacks, and back', async () => {
    const source = `${PRELUDE}
      exports.get = async (req, res) => {
        const failed = await util.promisify((callback) => callback(new Error('no')))().catch((error) => error.message);
        const back = await new Promise((resolve) => util.callbackify(async (a) => a + 1)(1, (error, value) => resolve([error, value])));
        res.json([await util.promisify((a, callback) => callback(null, a * 2))(4), failed, back]);
      };`;
    expect(await answer(source)).toEqual([8, 'no', [null, 2]]);
  });
});
