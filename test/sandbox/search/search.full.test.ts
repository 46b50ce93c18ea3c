// Programs out of a grammar of all that can run late, each sent to a real host together with well-behaved requests: these get what
// they get alone. `run.ts` searches on, with other seeds, for as long as wanted.
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSynchronous } from '../../../sandbox/guest-bundle.js';
import { type Program, programOf } from './grammar.ts';
import { searchFrom } from './run.ts';
import { type Discovery, reportOf, Search } from './search.ts';

const PROGRAMS = 400;
const FIRST_SEED = 1;
const CPU_MS = 1_000;

const seeds = (count: number) => Array.from({ length: count }, (_, n) => FIRST_SEED + n);

let search: Search;
beforeAll(() => {
  search = new Search();
});
afterAll(() => search.close());

const shortest = (discoveries: readonly Discovery[]) =>
  discoveries.toSorted((a, b) => a.source.length - b.source.length).slice(0, 1);

describe('generated programs', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(programOf(5, CPU_MS)).toEqual(programOf(5, CPU_MS));
    expect(new Set(seeds(100).map((seed) => programOf(seed, CPU_MS).source)).size).toBe(100);
  });

  it('all compile, and about one in four is a synchronous module', () => {
    const programs = seeds(2_000).map((seed) => programOf(seed, CPU_MS));
    for (const { source } of programs) new Script(`(function (module, exports, require) {\n${source}\n})`);
    const shared = programs.filter(({ options, source }) => isSynchronous({ ...options, source }));
    expect(shared.length).toBeGreaterThan(400);
    expect(shared.length).toBeLessThan(700);
  });

  it('do not change what happens to the requests of others', async () => {
    const bounds = { seed: FIRST_SEED, programs: PROGRAMS, minutes: Infinity, discoveries: 5 };
    const discoveries = await searchFrom(bounds);
    expect(
      discoveries.map(({ seed }) => seed),
      shortest(discoveries).map(reportOf).join(),
    ).toEqual([]);
  });
});

/** A module of which the well-behaved half is not what it should be: alone, `plain` is what it does. */
const flawed = (source: string, plain: string): Program => ({
  ...programOf(1, CPU_MS),
  plainKey: plain,
  steps: [
    { roles: ['plain'], answers: 4 },
    { roles: ['hostile', 'plain'], answers: 4 },
  ],
  options: { ...programOf(1, CPU_MS).options, kind: 'endpoint', isolation: 'realm' },
  source: `module.exports.get = (req, res) => { if (req.query.as === 'hostile') return res.end(); ${source} };`,
});

const GOOD = "console.log('plain'); res.end('same');";

describe('the search', () => {
  it('finds nothing where all requests are answered alike', async () => {
    expect(await search.judge(flawed(GOOD, GOOD))).toBe(undefined);
  });

  it.each([
    ['another answer', "console.log('plain'); res.end('other');", /^plain request 1 is told apart/],
    ['another log line', "console.log('other'); res.end('same');", /^plain request 1 is told apart/],
    ['one more log line', `${GOOD} console.log('late');`, /^plain request 1 is told apart/],
    ['no answer', "console.log('plain');", /^plain request 1 is told apart/],
    ['an error', `console.log('plain'); null.a;`, /^plain request 1 is told apart/],
    ['no time', `${GOOD} for (;;);`, /^timeout of the plain request 1/],
  ])('notices when a request gets %s', async (_, source, message) => {
    expect(await search.judge(flawed(GOOD, GOOD))).toBe(undefined);
    expect((await search.judge(flawed(source, GOOD)))?.what).toMatch(message);
  });
});
