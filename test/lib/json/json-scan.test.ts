import { describe, expect, test } from 'vitest';
import {
  createJsonScan,
  createUntrustedJsonParser,
  type JsonShape,
  scanJson,
} from '../../../src/lib/json/json-scan.ts';

const scan = (text: string) => scanJson(Buffer.from(text));

test.each([
  ['[[]]', 2],
  ['{"a":{"b":1}}', 2],
  ['[[],[],[]]', 2],
  ['["[[[[[", "\\\\", "\\"[["]', 1],
  ['["unfinished [[[[', 1],
  [']]]][[', 0],
  ['5', 0],
  ['', 0],
])('the JSON text %s is scanned as nested %i levels deep', (json, depth) => {
  expect(scan(json).depth).toBe(depth);
});

test.each([
  ['[1,2,[]]', { commas: 2, colons: 0, lists: 2, objects: 0, values: 4 }],
  [' {"a":1,"b":{}}', { commas: 1, colons: 2, lists: 0, objects: 2, values: 7 }],
  [`{"${'n'.repeat(100)}":"${'t'.repeat(100)}"}`, { commas: 0, colons: 1, objects: 1, values: 6 }],
  ['"[{:,\\"[{:,"', { commas: 0, colons: 0, lists: 0, objects: 0, values: 0 }],
])('the scan of JSON text counts %s', (json, counts) => {
  expect(scan(json)).toMatchObject(counts);
});

describe('the scan of a JSON list', () => {
  const NUMBERS = `[${Array.from({ length: 10_000 }, (_, n) => n)}]`;

  test('finds the number of elements and the longest one', () => {
    expect(scan(' [1, {"a":[2]} ,"x"] ').list).toEqual({
      elements: 3,
      chunks: [{ start: 2, end: 19, elements: 3 }],
      largest: { index: 1, values: 4 },
    });
    expect(scan('[]').list).toMatchObject({ elements: 1, chunks: [{ start: 1, end: 1, elements: 1 }] });
    expect(scan('{"a":[1]}').list).toBeUndefined();
    expect(scan('1').list).toBeUndefined();
  });

  test.each(['[1', '[1}', '[1]]', '[1],[2]', '[1] x', '["', '[[1]', '[1]"', '['])(
    'rejects text that is not one list: %s',
    (text) => {
      expect(scan(text).list).toBeNull();
    },
  );

  test.each([
    ['numbers', NUMBERS, 3],
    ['long texts', JSON.stringify(Array(10).fill('x,[{"'.repeat(20_000))), 4],
    ['one large element between small ones', `[1,${NUMBERS},1,${NUMBERS}]`, 2],
  ])('splits the list into runs that join to the same list: %s', (_, text, least) => {
    const { chunks: runs, elements } = scan(text).list ?? { chunks: [], elements: 0 };
    const parts = runs.map(({ start, end }) => JSON.parse(`[${text.slice(start, end)}]`) as unknown[]);
    expect(parts.flat()).toEqual(JSON.parse(text));
    expect(parts.map((part) => part.length)).toEqual(runs.map((run) => run.elements));
    expect(runs.length).toBeGreaterThanOrEqual(least);
    expect(elements).toBe((JSON.parse(text) as unknown[]).length);
  });
});

test('the scan of JSON text in small steps has the result of one step', () => {
  const text = `  [{"a\\"[":[1,2]}, "\\\\", "${'é,'.repeat(100)}", [[[]]]]  `;
  for (const step of [1, 2, 3, 7]) {
    const scan = createJsonScan(Buffer.from(text));
    let shape: JsonShape | undefined;
    let steps = 0;
    while (shape === undefined) {
      shape = scan.advance(step);
      steps += 1;
    }
    expect(shape).toEqual(scanJson(Buffer.from(text)));
    expect(steps).toBeGreaterThan(Buffer.byteLength(text) / step / 2);
  }
});

const anything = () => undefined;

test.each(['{"a":[1]}', `{"a":[1],"b":"${'x'.repeat(20_000)}"}`])(
  'untrusted JSON is parsed: %.20s',
  async (text) => {
    expect(await createUntrustedJsonParser()(text, anything)).toEqual({
      value: JSON.parse(text),
      fault: undefined,
    });
  },
);

test.each(['{"a":', `{"b":"${'x'.repeat(20_000)}`])(
  'untrusted text that is not JSON has no value: %.10s',
  async (text) => {
    expect(await createUntrustedJsonParser()(text, anything)).toEqual({});
  },
);

test('untrusted JSON with a member that no store accepts has an issue with its path', async () => {
  const { issue: fault } = await createUntrustedJsonParser()('{"a":{"__proto__":1}}', anything);
  expect(fault).toMatchObject({ path: 'a.__proto__' });
});

test.each([10, 20_000])(
  'untrusted JSON of %i characters is rejected by its shape before it is parsed',
  async (length) => {
    const refused = createUntrustedJsonParser()('[{'.repeat(length / 2), ({ depth }) => {
      throw new RangeError(`depth ${depth}`);
    });
    await expect(refused).rejects.toThrow(`depth ${length}`);
  },
);

test('the parser of untrusted JSON reads one long text at a time, and continues after a rejected one', async () => {
  const read = createUntrustedJsonParser();
  const steps: string[] = [];
  const long = `["${'x'.repeat(20_000)}"]`;
  const assertShape = (name: string) => () => {
    steps.push(`looked at ${name}`);
    if (name === 'b') throw new RangeError('no');
  };
  const done = (name: string) => () => steps.push(`read ${name}`);
  const all = ['a', 'b', 'c'].map((name) => read(long, assertShape(name)).then(done(name), done(name)));
  await read('1', assertShape('short')).then(done('short'));
  await Promise.all(all);
  expect(steps.indexOf('read short')).toBeLessThan(steps.indexOf('read a'));
  expect(steps.indexOf('looked at c')).toBeGreaterThan(steps.indexOf('read a'));
  expect(steps.at(-1)).toBe('read c');
});
