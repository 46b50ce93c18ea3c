// `buffer` and `string_decoder`, beside Node's own.
import { describe, expect, it } from 'vitest';
import { useLab } from '../../lab/use-lab.ts';
import { differences } from './compare.ts';

const { answer } = useLab();
const PRELUDE =
  "const { Buffer } = require('buffer'); const bytes = Buffer.from([1, 2, 3, 250, 251, 252, 0, 128, 127, 255]);";
const TEXTS = [
  '',
  'a',
  'häß',
  '中国',
  '😀x',
  '\ud800',
  'a\u0000b',
  '\ufeffb',
  'YWJj',
  'YW Jj==',
  '-_8',
  '00ff',
  '0',
  'zz',
  '00f',
  'x'.repeat(600),
  `${'é'.repeat(600)}`,
].map((text) => JSON.stringify(text));
const ENCODINGS = [
  'utf8',
  'UTF-8',
  'hex',
  'base64',
  'base64url',
  'latin1',
  'binary',
  'ascii',
  'utf16le',
  'ucs2',
  'what',
];

describe('buffer does what that of Node does', () => {
  it.each(ENCODINGS)('with texts in %s', async (encoding) => {
    const expressions = TEXTS.flatMap((text) => [
      `Buffer.from(${text}, '${encoding}')`,
      `Buffer.from(${text}).toString('${encoding}')`,
      `Buffer.byteLength(${text}, '${encoding}') >= 0`,
      `Buffer.isEncoding('${encoding}')`,
      `Buffer.alloc(7).write(${text}, 1, '${encoding}')`,
      `(() => { const b = Buffer.alloc(7); b.write(${text}, 2, 4, '${encoding}'); return b; })()`,
    ]);
    expressions.push(
      `bytes.toString('${encoding}', 2, 8)`,
      `bytes.toString('${encoding}', -1, 100)`,
      `bytes.toString('${encoding}', 5, 2)`,
    );
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });

  it('when it is made', async () => {
    const values = [
      '1',
      'null',
      'undefined',
      'true',
      '{}',
      '[1, 256, -1, "7", "x", 1.5]',
      'new ArrayBuffer(3)',
      'new Uint16Array([1, 300])',
      'bytes',
    ];
    const objects = [
      '{ length: 2, 0: 5 }',
      '{ type: "Buffer", data: [1, 2] }',
      'new String("ab")',
      '{ [Symbol.toPrimitive]: () => "p" }',
      '() => 1',
      'new Date(0)',
    ];
    const expressions = [
      ...[...values, ...objects].map((text) => `Buffer.from(${text})`),
      ...[
        'Buffer.from(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2)',
        'Buffer.from(new ArrayBuffer(2), 3)',
        'Buffer.of(1, 2)',
        'Buffer.alloc(3, "ab")',
      ],
      ...[
        'Buffer.alloc(3, "ff", "hex")',
        'Buffer.alloc(-1)',
        'Buffer.alloc("1")',
        'Buffer.alloc(3, 7)',
        'Buffer.alloc(5, bytes)',
        'Buffer.alloc(2, "")',
      ],
      ...[
        'Buffer("ab")',
        'new Buffer("ab")',
        'new Buffer(2).length',
        'Buffer.concat([bytes, Buffer.from("a")])',
        'Buffer.concat([bytes], 3)',
        'Buffer.concat([bytes], 12)',
      ],
      ...[
        'Buffer.concat([])',
        'Buffer.concat("a")',
        'Buffer.concat([1])',
        'Buffer.isBuffer(bytes)',
        'Buffer.isBuffer(new Uint8Array(1))',
        'Buffer.compare(bytes, Buffer.from([1, 3]))',
      ],
      ...[
        'Buffer.compare(bytes, 1)',
        'bytes instanceof Uint8Array',
        'bytes.constructor === Buffer',
        'Buffer.name',
        'bytes.parent === bytes.buffer',
        'Buffer.byteLength(new ArrayBuffer(3))',
        'Buffer.byteLength(1)',
      ],
    ];
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });

  it('when it is cut, copied, filled and searched', async () => {
    const cuts = ['', '1', '-3', '2, 5', '5, 2', '-4, -1', '100', '"2"', 'NaN', '1.7, 3.9'];
    const searched = [
      '3',
      '"\\u0002\\u0003"',
      'Buffer.from([250])',
      '""',
      '300',
      '999',
      '"x"',
      'bytes',
      '{}',
      '"0203", "hex"',
      '3, 3',
      '3, -9',
      '3, -8',
      '"", 4',
      '255, -1',
    ];
    const changing = (code: string) =>
      `(() => { const b = Buffer.from(bytes); const r = b.${code}; return [r, b]; })()`;
    const expressions = [
      ...cuts.flatMap((text) => [`bytes.slice(${text})`, `bytes.subarray(${text})`]),
      ...searched.flatMap((text) => [
        `bytes.indexOf(${text})`,
        `bytes.lastIndexOf(${text})`,
        `bytes.includes(${text})`,
      ]),
      ...[
        'fill(7)',
        'fill("ab")',
        'fill("ab", 2)',
        'fill("ab", 2, 5)',
        'fill("0102", "hex")',
        'fill(1, -1)',
        'fill(1, 0, 99)',
        'fill(Buffer.from([9]), 3)',
        'swap16()',
        'swap32()',
        'swap64()',
      ].map(changing),
      ...[
        'copy(Buffer.alloc(4))',
        'reverse()',
        'set([9, 9], 3)',
        'write("äöü", 8)',
        'write("äöü", 7)',
        'write("a", 99)',
        'write(1)',
        'writeUInt8(256)',
        'slice(2, 4).fill(0)',
      ].map(changing),
      ...[
        '(() => { const t = Buffer.alloc(4); return [bytes.copy(t, 1, 2, 9), t]; })()',
        'bytes.copy(Buffer.alloc(2), -1)',
        'bytes.copy(1)',
        'bytes.equals(Buffer.from(bytes))',
        'bytes.equals("a")',
      ],
      ...[
        'bytes.compare(Buffer.from([0, 1, 2]), 1, 3, 0, 2)',
        'bytes.toJSON()',
        'JSON.stringify(bytes)',
        'require("util").inspect(bytes)',
        'require("util").inspect(Buffer.alloc(60))',
        'bytes.map((each) => each + 1)',
        'bytes.filter((each) => each > 9)',
      ],
      ...[
        'String(Buffer.from("hä"))',
        '"" + Buffer.from([104, 105])',
        '[...Buffer.from("ab").entries()]',
        'Buffer.from("ab") + "c"',
        'Buffer.isBuffer(bytes.map((each) => each))',
        'Buffer.from("a😀").toString("utf8", 0, 3)',
      ],
    ];
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });

  it('with numbers', async () => {
    const names = [
      'Int8',
      'UInt8',
      ...['Int16', 'UInt16', 'Int32', 'UInt32', 'Float', 'Double', 'BigInt64', 'BigUInt64'].flatMap(
        (name) => [`${name}LE`, `${name}BE`],
      ),
    ];
    const long = ['IntLE', 'IntBE', 'UIntLE', 'UIntBE'];
    const written = (name: string, args: string) =>
      `(() => { const b = Buffer.alloc(10); return [b.write${name}(${args}), b]; })()`;
    const samplesOf = (name: string) =>
      name.startsWith('Big') ? ['5n', '-5n', '2n ** 64n'] : ['5', '-5', '200', '70000', '5e9', '1.5', 'NaN'];
    const expressions = [
      ...names.flatMap((name) =>
        ['', '1', '9', '-1', '1.5', '"1"'].map((offset) => `bytes.read${name}(${offset})`),
      ),
      ...names.flatMap((name) =>
        samplesOf(name).flatMap((value) => [written(name, value), written(name, `${value}, 2`)]),
      ),
      ...long.flatMap((name) =>
        ['0, 1', '1, 3', '3, 6', '8, 6', '0, 7', '0, 0', '0'].map((args) => `bytes.read${name}(${args})`),
      ),
      ...long.flatMap((name) =>
        ['5, 0, 1', '-5, 1, 3', '70000, 2, 6', '70000, 0, 2', '1, 9, 3'].map((args) => written(name, args)),
      ),
      ...['bytes.readUint16LE(1)', 'bytes.readBigUint64BE()', written('Uint32BE', '7')],
    ];
    expect(await differences(answer, PRELUDE, expressions)).toEqual([]);
  });
});

describe('string_decoder does what that of Node does', () => {
  it.each([
    'utf8',
    'utf-8',
    'utf16le',
    'ucs2',
    'base64',
    'base64url',
    'hex',
    'latin1',
    'ascii',
    undefined,
    'what',
  ])('in pieces of %s', async (encoding) => {
    const given = encoding === undefined ? '' : `'${encoding}'`;
    const texts = [
      '"häß中国😀x"',
      '"a"',
      '""',
      '"\\ud83d"',
      'Buffer.from([0xe4, 0xb8])',
      'Buffer.from([0xff, 0xc3, 0x28, 0xf0, 0x9f, 0x98])',
      'Buffer.from([0xe0, 0x80, 0xc3])',
    ];
    const expressions = texts.flatMap((text) =>
      [1, 2, 3, 5].map(
        (
          size,
        ) => `(() => { const d = new StringDecoder(${given}); const all = Buffer.from(${text}, 'utf16le'); const out = [];
            for (let at = 0; at < all.length; at += ${size}) out.push(d.write(all.subarray(at, at + ${size})));
            return [d.encoding, out.join('') + d.end(), d.end(Buffer.from('x'))]; })()`,
      ),
    );
    const utf8 = expressions.map((text) => text.replace(", 'utf16le'", ''));
    const prelude = `${PRELUDE} const { StringDecoder } = require('string_decoder');`;
    expect(
      await differences(answer, prelude, [...expressions, ...utf8, `new StringDecoder(${given}).write(1)`]),
    ).toEqual([]);
  });
});
