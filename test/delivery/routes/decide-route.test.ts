// Which branch a visitor takes, what is looked up on the way, and how that is explained.
import { describe, expect, it } from 'vitest';
import { createVisitorFactSources } from '../../../src/delivery/model/visitor-facts.ts';
import { decideRoute, explainRoute } from '../../../src/delivery/routes/decide-route.ts';
import { ROUTE_KIND } from '../../../src/delivery/routes/route.ts';
import type { Json } from '../../../src/lib/json/json.ts';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1';
const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0';

interface Situation {
  readonly userAgent?: string;
  readonly acceptLanguage?: string;
  readonly country?: string;
  readonly network?: string;
}

function situated({ userAgent = PHONE, acceptLanguage = '', country, network }: Situation) {
  const lookups: string[] = [];
  const sources = createVisitorFactSources({
    country: async () => {
      lookups.push('country');
      return country;
    },
    network: async () => {
      lookups.push('network');
      return network;
    },
  });
  return { visitor: { userAgent, acceptLanguage, ip: '81.2.69.160' }, sources, lookups };
}

function routeOf(branches: Json) {
  const { value } = ROUTE_KIND.parse({ route: 'sample', branches });
  if (value === undefined) throw new Error('no route');
  return value;
}

async function decide(branches: Json, situation: Situation) {
  const { visitor, sources, lookups } = situated(situation);
  const { recipe, consulted } = await decideRoute(routeOf(branches), visitor, sources);
  return { recipe, consulted: [...consulted], lookups };
}

const explain = (branches: Json, situation: Situation) => {
  const { visitor, sources } = situated(situation);
  return explainRoute({ name: 'sample', value: routeOf(branches) }, visitor, sources);
};

const one = (condition: Json) => [{ condition, recipe: 'met' }];

describe('a branch', () => {
  it.each<[Json, Situation, boolean]>([
    [{ device: 'mobile' }, { userAgent: PHONE }, true],
    [{ device: 'mobile' }, { userAgent: LAPTOP }, false],
    [{ device: 'desktop' }, { userAgent: '' }, true],
    [{ device: ['tablet', 'mobile'] }, { userAgent: PHONE }, true],
    [{ language: 'en' }, { acceptLanguage: 'en-GB' }, true],
    [{ language: 'en-GB' }, { acceptLanguage: 'en' }, false],
    [{ language: 'en' }, { acceptLanguage: 'fr, en;q=0.5' }, false],
    [{ language: 'en', languageMinQuality: 0.5 }, { acceptLanguage: 'fr, en;q=0.5' }, true],
    [{ language: 'en', languageMinQuality: 0 }, { acceptLanguage: 'fr, en;q=0' }, false],
    [{ language: 'en' }, {}, false],
    [{ country: 'gb' }, { country: 'GB' }, true],
    [{ location: ['US', 'GB'] }, { country: 'GB' }, true],
    [{ country: 'US' }, { country: 'GB' }, false],
    [{ country: 'GB' }, {}, false],
    [{ network: 'DSL' }, { network: 'Cable/DSL' }, true],
    [{ network: 'mobile' }, { network: 'Cellular' }, true],
    [{ network: 'cellular' }, { network: 'mobile' }, true],
    [{ network: 'cable' }, { network: 'Corporate' }, false],
    [{ network: 'cable' }, {}, false],
    [{ device: 'mobile', country: 'GB', network: 'dsl' }, { country: 'GB', network: 'dsl' }, true],
    [{ device: 'mobile', country: 'GB', network: 'dsl' }, { country: 'GB', network: 'cable' }, false],
    [{ device: 'mobile', country: 'GB', network: 'dsl' }, { country: 'US', network: 'dsl' }, false],
    [{}, {}, true],
    [{ place: 'GB' }, { country: 'GB' }, false],
    [{ device: 'mobile', place: 'GB' }, {}, false],
    [{ device: [] }, {}, false],
  ])('with %j, visitor %j: %s', async (condition, situation, met) => {
    expect((await decide(one(condition), situation)).recipe).toBe(met ? 'met' : null);
  });
});

describe('a decision', () => {
  it('is the first branch that holds, in the order of the route', async () => {
    const branches = [
      { condition: { device: 'tablet' }, recipe: 'tablet' },
      { condition: { device: 'mobile', language: 'fr' }, recipe: 'french-phone' },
      { condition: { device: 'mobile' }, recipe: 'phone' },
      { recipe: 'rest' },
    ];
    expect((await decide(branches, {})).recipe).toBe('phone');
    expect((await decide(branches, { acceptLanguage: 'fr' })).recipe).toBe('french-phone');
    expect((await decide(branches, { userAgent: LAPTOP })).recipe).toBe('rest');
  });

  it('looks up nothing for a visitor whose headers fail already, wherever they stand in the condition', async () => {
    const condition = { country: 'GB', network: 'dsl', device: 'tablet' };
    const decided = await decide([...one(condition), { recipe: 'rest' }], { country: 'GB', network: 'dsl' });
    expect(decided).toEqual({ recipe: 'rest', consulted: ['device'], lookups: [] });
  });

  it('looks up each fact once, however many branches ask for it', async () => {
    const branches = ['US', 'FR', 'GB'].map((country) => ({ condition: { country }, recipe: country }));
    const decided = await decide(branches, { country: 'GB' });
    expect(decided).toEqual({ recipe: 'GB', consulted: ['country'], lookups: ['country'] });
  });

  it('names the facts that decided against a branch too', async () => {
    const branches = [
      ...one({ device: 'tablet' }),
      ...one({ language: 'fr', country: 'GB' }),
      { recipe: 'rest' },
    ];
    const decided = await decide(branches, { acceptLanguage: 'fr', country: 'US' });
    expect(decided).toMatchObject({ recipe: 'rest', consulted: ['device', 'language', 'country'] });
  });

  it('names nothing where the first branch takes everybody', async () => {
    expect(await decide([{ recipe: 'all' }], {})).toEqual({ recipe: 'all', consulted: [], lookups: [] });
  });
});

describe('an explanation', () => {
  it('tells of every branch what it wanted, what was there, and whether that is the same', async () => {
    const branches = [
      { condition: { device: ['tablet'], country: 'gb' }, recipe: 'first' },
      { condition: { language: 'en', languageMinQuality: 0.5 }, recipe: 'second' },
      { recipe: 'rest' },
    ];
    const situation = { acceptLanguage: 'fr;q=0.4,en-GB;q=0.6', country: 'GB', network: 'Cable/DSL' };
    expect(await explain(branches, situation)).toEqual({
      route: 'sample',
      recipe: 'second',
      detected: { device: 'mobile', language: ['en-gb', 'fr'], country: 'GB', network: 'Cable/DSL' },
      branches: [
        {
          recipe: 'first',
          matched: false,
          tests: [
            { condition: 'device', wanted: ['tablet'], detected: ['mobile'], matched: false },
            { condition: 'country', wanted: ['gb'], detected: ['GB'], matched: true },
          ],
        },
        {
          recipe: 'second',
          matched: true,
          tests: [{ condition: 'language', wanted: ['en'], detected: ['en-gb'], matched: true }],
        },
        { recipe: 'rest', matched: true, tests: [] },
      ],
    });
  });

  it('tells that nothing matches, what is unknown, and which branch is broken', async () => {
    const branches = [{ condition: { place: 'GB' }, recipe: 'odd' }, ...one({ country: 'US' })];
    expect(await explain(branches, {})).toMatchObject({
      recipe: null,
      detected: { device: 'mobile', language: [], country: null, network: null },
      branches: [
        { recipe: 'odd', matched: false, broken: true },
        { recipe: 'met', matched: false, tests: [{ detected: [] }] },
      ],
    });
  });
});
