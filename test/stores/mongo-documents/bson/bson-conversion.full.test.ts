import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import {
  bsonToJson,
  isObjectIdText,
  parseBson,
  toBson,
  toBsonId,
  toBsonValue,
} from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';

const ID = '65a1b2c3d4e5f60718293a4b';

const throughDatabase = (fields: JsonObject) => parseBson(BSON.serialize(toBson({ _id: ID, ...fields })));

describe('toBson', () => {
  it('converts the id to an ObjectId if possible and puts it first', () => {
    const made = toBson({ a: 1, _id: ID });
    expect(Object.keys(made)).toEqual(['_id', 'a']);
    expect(made['_id']).toEqual(new ObjectId(ID));
    expect(toBsonId('my-own')).toBe('my-own');
    expect(toBsonId(ID.toUpperCase())).toBe(ID.toUpperCase());
  });

  it('keeps ids in other fields as text', () => {
    expect(toBson({ _id: ID, author: ID, list: [ID] })).toMatchObject({ author: ID, list: [ID] });
  });

  it('recognizes the text of an ObjectId', () => {
    expect(isObjectIdText(ID)).toBe(true);
    expect([ID.toUpperCase(), `${ID}0`, ID.slice(1), '', `${ID}\n`].some(isObjectIdText)).toBe(false);
  });

  it('turns negative zero into zero at any depth', () => {
    expect(throughDatabase({ a: -0, b: { c: [-0, { d: -0 }] } })).toEqual({
      _id: ID,
      a: 0,
      b: { c: [0, { d: 0 }] },
    });
  });

  it('does not modify the document', () => {
    const value = { b: { c: [-0] } };
    expect(toBsonValue(value)).not.toBe(value);
    expect(Object.is(value.b.c[0], -0)).toBe(true);
    const plain = { a: ['x', { y: 1 }] };
    expect(toBsonValue(plain)).toBe(plain);
  });

  it('round-trips objects that look like classes of the driver', () => {
    const hostile = JSON.parse(
      '{"_bsontype":"ObjectId","a":{"_bsontype":"Long","low":1,"in":[{"_bsontype":null}]},"__proto__":{"x":1}}',
    ) as JsonObject;
    expect(JSON.stringify(throughDatabase(hostile))).toBe(JSON.stringify({ ...hostile, _id: ID }));
    const references = {
      a: { $ref: 'x', $id: 'y' },
      b: [{ $ref: 'x', $id: 1, $db: 'z' }],
      'c.d': { $set: 1 },
    };
    expect(throughDatabase(references)).toEqual({ _id: ID, ...references });
  });

  it('round-trips any document', () => {
    const documents = fc.dictionary(
      fc.string({ unit: 'grapheme' }),
      fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }),
    );
    fc.assert(
      fc.property(documents, (fields) => {
        const expected = { ...(fields as JsonObject), _id: ID };
        expect(JSON.stringify(throughDatabase(fields as JsonObject))).toBe(JSON.stringify(expected));
      }),
    );
  });
});

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
