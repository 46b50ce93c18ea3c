import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { type JsonLimits, parseJsonBody, validateJsonBody } from '../../../src/http/core/json-body.ts';

const MANY = { maxValues: 100_000 };
const LISTED: JsonLimits = {
  maxValues: 50,
  list: {
    maxElements: 20_000,
    createError: (elements) => new AppError('WRITE_TOO_LARGE', { message: `${elements}` }),
  },
};
/** Makes a body one of those that are read in slices. */
const PADDING = ' '.repeat(20_000);

const read = async (text: string, bounds: JsonLimits = MANY) => parseJsonBody(Buffer.from(text), bounds);

async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? { code: error.code, item: error.items[0] } : 'accepted';
}

it('the JSON parser rejects extreme depth before parsing', async () => {
  const item = { message: 'The body is nested deeper than 100 levels' };
  // Never closed: a parser would find it malformed.
  expect(await refusal(read('['.repeat(1_000_000)))).toMatchObject({ code: 'BAD_REQUEST', item });
});

describe.each([
  ['at once', '', MANY],
  ['in slices', PADDING, MANY],
  ['in slices, as a list', PADDING, LISTED],
])('JSON that is read %s', (_, space, bounds) => {
  it.each(['{"a":[1,"ü",null]}', '[]', '[ ]', '[{"a":1},[2],"x,]",3]', '5', '"text"', 'null', ' {} '])(
    'takes %s',
    async (text) => {
      expect(await read(space + text, bounds)).toEqual(JSON.parse(text));
    },
  );

  it.each([
    ['{', 2, 'expected a name in double quotes or `}`, but the text ends'],
    [' ', 2, 'expected a value, but the text ends'],
    ['{a:1}', 2, 'expected a name in double quotes or `}`'],
    ['undefined', 1, 'expected a value'],
    ['{"a":NaN}', 6, 'expected a value'],
    ['\uFEFF{}', 1, 'expected a value'],
    ['{"a":1}x', 8, 'expected the end, as the value is complete'],
    ['[1,]', 4, 'expected a value'],
    ['[,1]', 2, 'expected a value or `]`'],
    ['[1 2]', 4, 'expected `,` or `]`'],
    ['[1}', 3, 'expected `,` or `]`'],
    ['[1],[2]', 4, 'expected the end, as the value is complete'],
    ['[{]}', 3, 'expected a name in double quotes or `}`'],
    ['["a', 2, 'expected `"` at the end of the text that begins here'],
  ])('refuses %j, naming the place', async (text, inText, expected) => {
    const column = space.length + inText;
    expect(await refusal(read(space + text, bounds))).toEqual({
      code: 'BAD_REQUEST',
      item: {
        message: `The body is not valid JSON: line 1, column ${column}: ${expected}`,
        line: 1,
        column,
        code: 'BAD_REQUEST',
      },
    });
  });

  it.each([
    ['{"a":{"__proto__":1}}', 'a.__proto__'],
    ['{"a":[1e999]}', 'a.0'],
    ['[1,{"a":"\\udc00"}]', '1.a'],
    ['{"a\\u0000b":1}', 'a\0b'],
  ])('refuses %s, naming the place', async (text, field) => {
    const refused = { code: 'BAD_REQUEST', item: { field } };
    expect(await refusal(read(space + text, bounds))).toMatchObject(refused);
  });

  it('refuses bytes that are no UTF-8', async () => {
    const json = Buffer.concat([Buffer.from(`${space}["`), Buffer.from([0xff]), Buffer.from('"]')]);
    expect(await refusal(Promise.try(() => parseJsonBody(json, bounds)))).toMatchObject({
      item: { message: 'The body is not valid UTF-8' },
    });
  });
});

it('the JSON parser treats an empty body as none', () => {
  expect(parseJsonBody(Buffer.alloc(0), MANY)).toBeUndefined();
});

describe('the values of JSON', () => {
  it('are limited, members counted three times', async () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`)}}`;
    for (const space of ['', PADDING]) {
      expect(await read(space + members(16), { maxValues: 48 })).toHaveProperty('k15');
      const refused = await refusal(read(space + members(17), { maxValues: 48 }));
      expect(refused).toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
        item: { message: expect.stringMatching('48') },
      });
    }
  });

  it('are limited in each element where a list is accepted', async () => {
    const element = (count: number) => `[${Array(count).fill(1)}]`;
    const list = [...Array(5000).fill(element(50)), '{}'];
    expect(await read(`[${list}]`, LISTED)).toHaveLength(5001);
    const refused = await refusal(read(`[${list},${element(51)}]`, LISTED));
    expect(refused).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', item: { index: 5001 } });
    expect(await refusal(read(`{"a":${element(60)}}${PADDING}`, LISTED))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('do not count where the list itself is too long', async () => {
    const refused = await refusal(read(`[${Array(20_001).fill('[')}]`, LISTED));
    expect(refused).toMatchObject({ code: 'BAD_REQUEST' });
    const item = { message: '20001' };
    expect(await refusal(read(`[${Array(20_001).fill('[]')}]`, LISTED))).toMatchObject({ item });
  });
});

it('the JSON parser yields to the event loop while it parses a long list', async () => {
  const row = JSON.stringify(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`name${n}`, n])));
  const json = Buffer.from(`[${Array(20_000).fill(row)}]`);
  let turns = 0;
  // The clock goes on by a millisecond with each look at it, however fast the machine is.
  let milliseconds = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => ++milliseconds);
  onTestFinished(() => void vi.restoreAllMocks());
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  expect(await parseJsonBody(json, LISTED)).toHaveLength(20_000);
  clearImmediate(next);
  expect(turns).toBeGreaterThan(60);
});

describe('JSON for posted code', () => {
  it('is checked only for form, reserved names included', async () => {
    const seen: number[] = [];
    const assertShape = ({ values }: { readonly values: number }) => void seen.push(values);
    await validateJsonBody(Buffer.from('[{"__proto__":1},"\\ud800"]'), { maxValues: 5, assertShape });
    expect(seen).toEqual([5]);
    const broken = validateJsonBody(Buffer.from('{"a":}'), { maxValues: 5, assertShape });
    expect(await refusal(broken)).toMatchObject({ code: 'BAD_REQUEST' });
  });
});
