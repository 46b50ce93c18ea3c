import { BSON, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { bsonToJson, parseBson } from '../../../../src/stores/mongo-documents/bson/bson-to-json.ts';

const ID = '65a1b2c3d4e5f60718293a4b';

const written = (document: object) => bsonToJson(BSON.serialize(document));

describe('bsonToJson', () => {
  it('puts _id last, wherever it is stored', () => {
    const _id = new ObjectId(ID);
    expect(written({ _id, a: 1, b: 'x' })).toBe(`{"a":1,"b":"x","_id":"${ID}"}`);
    expect(written({ a: 1, _id, b: 'x' })).toBe(`{"a":1,"b":"x","_id":"${ID}"}`);
    expect(written({ _id })).toBe(`{"_id":"${ID}"}`);
    expect(written({ a: 1 })).toBe('{"a":1}');
    expect(written({})).toBe('{}');
  });

  it('does not move nested _id members', () => {
    expect(written({ a: { _id: 1, b: 2 }, _id: 3 })).toBe('{"a":{"_id":1,"b":2},"_id":3}');
    expect(written({ _ids: 1, _i: 2, _id: 3 })).toBe('{"_ids":1,"_i":2,"_id":3}');
  });

  it('writes the same text as JSON.stringify', () => {
    const value = {
      a: [1, -2.5, 1e21, 5e-324, 2 ** 53, true, false, null, [], {}, [[{}]]],
      text: 'naïve \u0000 "quoted" \\ \u2028 😀',
      long: `${'x'.repeat(500)}"${'é'.repeat(500)}`,
      'key "with" all\n': { '': 1 },
    };
    expect(written(value)).toBe(JSON.stringify(value));
  });

  it('reads a view into a larger buffer', () => {
    const bytes = BSON.serialize({ a: 'x', _id: 1 });
    const larger = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(7)]);
    expect(parseBson(larger.subarray(7, 7 + bytes.length))).toEqual({ a: 'x', _id: 1 });
  });

  it('skips an _id of any BSON type', () => {
    const ids = [
      1,
      1.5,
      'x',
      true,
      null,
      new Date(0),
      { a: 1 },
      BSON.Long.fromNumber(5),
      /a/i,
      new BSON.MinKey(),
    ];
    for (const _id of [
      ...ids,
      new BSON.Binary(Buffer.from('abc')),
      new BSON.Decimal128('1'),
      new BSON.Code('x'),
    ]) {
      expect(written({ _id, b: 2 })).toMatch(/^\{"b":2,"_id":.+\}$/);
    }
  });
});
