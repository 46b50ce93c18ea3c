import { describe, expect, test } from 'vitest';
import { createJsonScan, type JsonShape, scanJson } from '../../../src/lib/json/json-scan.ts';

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
