import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { parseBson } from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';
import { JsonOutput } from '../../../../src/stores/mongo-documents/bson/json-output.ts';

it('the JSON output buffer grows as needed, and is used again', () => {
  const out = new JsonOutput(1);
  const texts = ['', 'plain', 'a"b', '\u0000'.repeat(40), 'é😀', 'x'.repeat(300), '\u2028'];
  const expected = `true,${texts.map((text) => `${JSON.stringify(text)},${JSON.stringify(text)}`).join('')}`;
  for (const _turn of [1, 2]) {
    out.ascii('true');
    out.byte(0x2c);
    for (const text of texts) {
      const source = Buffer.from(`<${text}>`);
      out.utf8(source, 1, source.length - 1);
      out.byte(0x2c);
      out.string(text);
    }
    expect(out.length).toBe(Buffer.byteLength(expected));
    expect(out.take()).toBe(expected);
    expect(out.length).toBe(0);
  }
});

it('text after one of a megabyte is written like any other', () => {
  const out = new JsonOutput(16);
  for (const text of ['é'.repeat(500_000), 'short', 'x'.repeat(1_000_000)]) {
    out.string(text);
    expect(out.take()).toBe(JSON.stringify(text));
  }
});

const HEX = '65a1b2c3d4e5f60718293a4b';
const UUID = '0190f0c2-6f2e-7c3a-8b1d-2f4a5b6c7d8e';

const ROWS: readonly [string, unknown, unknown][] = [
  ['an ObjectId', new BSON.ObjectId(HEX), HEX],
  ['a date', new Date('2026-01-02T03:04:05.678Z'), '2026-01-02T03:04:05.678Z'],
  ['a date before the epoch', new Date(-1), '1969-12-31T23:59:59.999Z'],

  ['a long', BSON.Long.fromString('9007199254740991'), 9007199254740991],
  ['a negative long', BSON.Long.fromString('-5'), -5],
  ['a long beyond doubles', BSON.Long.fromString('9007199254740993'), 9007199254740992],
  ['a decimal', new BSON.Decimal128('19.99'), 19.99],
  ['a decimal with trailing zeros', new BSON.Decimal128('1.50'), 1.5],
  ['a decimal that is too large', new BSON.Decimal128('1E+6000'), null],
  ['a decimal of many digits', new BSON.Decimal128('0.12345678901234567890'), 0.12345678901234568],
  ['a decimal that is no number', new BSON.Decimal128('NaN'), null],
  ['an infinite decimal', new BSON.Decimal128('Infinity'), null],
  ['bytes', new BSON.Binary(Buffer.from('hello')), 'aGVsbG8='],
  ['a UUID', new BSON.UUID(UUID), UUID],
  ['a regular expression', new BSON.BSONRegExp('^a"b', 'i'), '/^a"b/i'],
  ['a symbol', new BSON.BSONSymbol('sym'), 'sym'],
  ['code', new BSON.Code('return 1'), 'return 1'],
  ['code with a scope', new BSON.Code('return x', { x: 1 }), 'return x'],
  ['a timestamp', new BSON.Timestamp({ t: 1, i: 2 }), '4294967298'],
  ['the least key', new BSON.MinKey(), null],
  ['the greatest key', new BSON.MaxKey(), null],
  ['no number', Number.NaN, null],
  ['infinity', Number.NEGATIVE_INFINITY, null],
  ['negative zero', -0, 0],
  ['a reference', new BSON.DBRef('books', new BSON.ObjectId(HEX)), { $ref: 'books', $id: HEX }],
];

it.each(ROWS)('a BSON %s becomes JSON', (_name, value, expected) => {
  const document = { a: value, list: [value, 'next'], _id: HEX };
  expect(parseBson(BSON.serialize(document))).toEqual({ a: expected, list: [expected, 'next'], _id: HEX });
});

it('an invalid date and deprecated BSON types become JSON', () => {
  const far = Buffer.from(BSON.serialize({ a: new Date(0), b: 1 }));
  far.writeBigInt64LE(2n ** 62n, 7);
  expect(parseBson(far)).toEqual({ a: null, b: 1 });
  // A pointer: type 12, a namespace, an ObjectId; then undefined: type 6.
  const name = Buffer.concat([Buffer.from([0x0c, 0x61, 0, 2, 0, 0, 0, 0x78, 0]), Buffer.from(HEX, 'hex')]);
  const members = Buffer.concat([name, Buffer.from([0x06, 0x62, 0, 0x08, 0x63, 0, 1, 0])]);
  const head = Buffer.alloc(4);
  head.writeInt32LE(members.length + 4);
  expect(parseBson(Buffer.concat([head, members]))).toEqual({ a: HEX, b: null, c: true });
});
