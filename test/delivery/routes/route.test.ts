// What a route document may say, and the words in which it is refused.
import { describe, expect, it } from 'vitest';
import { ROUTE_KIND } from '../../../src/delivery/routes/route.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

const parse = (branches: Json, others: JsonObject = {}) =>
  ROUTE_KIND.parse({ route: 'sample', branches, ...others });
const messages = (branches: Json, others?: JsonObject) =>
  parse(branches, others).issues.map((one) => one.message);

describe('a route', () => {
  it('has branches, each with a recipe and the tests of its condition', () => {
    const condition = { device: ['mobile', 'tablet'], country: 'GB' };
    const { value, issues } = parse([{ condition, recipe: 'thumbnail' }, { recipe: 'default' }]);
    expect(issues).toEqual([]);
    expect(value?.branches).toMatchObject([
      { recipe: 'thumbnail', broken: false, tests: [{ key: 'device' }, { key: 'country', wanted: ['gb'] }] },
      { recipe: 'default', broken: false, tests: [] },
    ]);
  });

  it.each<[string, Json, string[]]>([
    ['no branches', undefined as unknown as Json, ['Route branches missing or invalid']],
    ['an object as branches', {}, ['Route branches missing or invalid']],
    ['text as branches', 'all', ['Route branches missing or invalid']],
    ['an empty list', [], ['Route must have at least one branch']],
    ['too many branches', Array(1001).fill({ recipe: 'x' }), ['Route must have 1000 branches at most']],
    ['a null branch', [null], ['Branch 0 does not have a recipe']],
    ['a list as branch', [['recipe']], ['Branch 0 does not have a recipe']],
    [
      'branches without recipe',
      [{}, { recipe: '' }],
      ['Branch 0', 'Branch 1'].map((b) => `${b} does not have a recipe`),
    ],
    ['a number as recipe', [{ recipe: 5 }], ['Branch 0: recipe must be a string']],
    [
      'a very long recipe',
      [{ recipe: 'x'.repeat(101) }],
      ['Branch 0: recipe must be 100 characters or shorter'],
    ],
    [
      'an unknown member',
      [{ recipe: 'x', conditions: {} }],
      ['Branch 0: unknown property "conditions": did you mean `condition`?'],
    ],
    ['text as condition', [{ recipe: 'x', condition: 'mobile' }], ['Branch 0: condition must be an object']],
  ])('is refused for %s', (_, branches, errors) => {
    expect(messages(branches)).toEqual(errors);
  });

  it('may have members that nobody reads, with a warning', () => {
    const branch = { condition: { device: 'mobile' }, recipe: 'x', comment: 'phones' };
    const { value, issues } = parse([branch], { name: 'sample' });
    expect(value?.branches).toMatchObject([{ broken: false }]);
    expect(issues).toMatchObject([
      { severity: 'warning', message: 'Branch 0: unknown property "comment"' },
      { severity: 'warning', message: 'Property "name" has no effect' },
    ]);
  });

  it('does not take everybody where the condition may be misspelled', () => {
    const { value, issues } = parse([{ recipe: 'x', conditions: { device: 'mobile' } }]);
    expect(value?.branches).toMatchObject([{ broken: true }]);
    expect(issues).toMatchObject([{ severity: 'error' }]);
  });

  it.each<[string, Json, object]>([
    [
      'a device that nobody has',
      { device: ['toaster', 'mobile'] },
      { tests: [{ wanted: ['toaster', 'mobile'] }] },
    ],
    ['a quality in words', { language: 'en', languageMinQuality: 'high' }, { tests: [{ minQuality: 1 }] }],
    ['an empty text as condition', '', { tests: [] }],
  ])('is refused for %s, but works as a file', (_, condition, branch) => {
    const { value, issues } = parse([{ condition, recipe: 'x' }]);
    expect(value?.branches).toMatchObject([{ ...branch, broken: false }]);
    expect(issues).toMatchObject([{ severity: 'error' }]);
  });

  it('does not take branches from the prototype of the document', () => {
    expect(
      ROUTE_KIND.parse(JSON.parse('{"route":"sample","__proto__":{"branches":[]}}')).value,
    ).toBeUndefined();
  });

  it('is warned of, not refused, when branches stand behind one that takes everybody', () => {
    const { value, issues } = parse([{ recipe: 'first' }, { recipe: 'second' }]);
    expect(value?.branches).toHaveLength(2);
    expect(issues).toEqual([
      {
        severity: 'warning',
        message: 'Branch 0 has no condition, so that the branches after it are never reached',
        path: ['branches', 0],
      },
    ]);
  });

  it('goes without the branches that are broken', () => {
    const { value } = parse([
      { recipe: 'x', condition: { place: 'GB' } },
      { condition: {} },
      { recipe: 'rest' },
    ]);
    expect(value?.branches.map(({ broken }) => broken)).toEqual([true, true, false]);
  });
});
