// What a process of a test has run counts as what the test's own process runs: of an `if`, its body, or what it leaves out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addScript, offsetsOf } from './coverage-provider.ts';

const LINES = [
  'const given: number = Number(process.argv[2]);',
  'const used = (value: number): void => void value;',
  'if (given > 2) used(3);',
  'if (given > 1) {',
  '  used(2);',
  '}',
  'if (given > 0) used(1);',
  'else used(0);',
];
/** Lines with an `if`, from 1, and where the `else` of it is, if there is one. */
const BRANCHES = [
  { line: 3, other: {} },
  { line: 4, other: {} },
  { line: 7, other: { line: 8, column: 5 } },
];

let folder: string;
let script: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-coverage-'));
  script = join(folder, 'script.ts');
  writeFileSync(script, LINES.join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What Node says of a process that ran the script with this argument. */
function coverageOf(argument: number): Parameters<typeof addScript>[1] {
  const written = mkdtempSync(join(folder, 'written-'));
  const env = { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: written };
  expect(spawnSync(process.execPath, [script, String(argument)], { env }).status).toBe(0);
  const { href } = pathToFileURL(script);
  const scripts = readdirSync(written).flatMap(
    (name) => JSON.parse(readFileSync(join(written, name), 'utf8')).result,
  );
  return scripts.find(({ url }) => url === href);
}

/** How often each `if` of the script was taken, and how often it was not. */
function branchesAfter(...given: readonly number[]): readonly (readonly number[])[] {
  const branchMap = Object.fromEntries(
    BRANCHES.map(({ line, other }, at) => {
      const loc = { start: { line, column: 0 } };
      return [at, { type: 'if', loc, locations: [loc, { start: other }] }];
    }),
  );
  const file = { statementMap: {}, branchMap, s: {}, b: {} as Record<string, number[]> };
  for (const argument of given) addScript(file, coverageOf(argument), offsetsOf(script));
  return BRANCHES.map((_, at) => file.b[at] ?? []);
}

it.each([
  [
    3,
    [
      [1, 0],
      [1, 0],
      [1, 0],
    ],
  ],
  [
    2,
    [
      [0, 1],
      [1, 0],
      [1, 0],
    ],
  ],
  [
    1,
    [
      [0, 1],
      [0, 1],
      [1, 0],
    ],
  ],
  [
    0,
    [
      [0, 1],
      [0, 1],
      [0, 1],
    ],
  ],
])('a process that was given %i ran the branches %j', (given, branches) => {
  expect(branchesAfter(given)).toEqual(branches);
});

it('several processes ran what each of them ran', () => {
  expect(branchesAfter(3, 1, 0)).toEqual([
    [1, 2],
    [1, 2],
    [2, 1],
  ]);
});
