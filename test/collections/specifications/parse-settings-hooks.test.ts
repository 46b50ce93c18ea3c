import { expect, test } from 'vitest';
import { createIssueCollector } from '../../../src/collections/specifications/issue-collector.ts';
import { parseHookPlan } from '../../../src/collections/specifications/parse-settings.ts';
import type { Json } from '../../../src/lib/json/json.ts';

function read(source: Json | undefined) {
  const report = createIssueCollector();
  const plan = parseHookPlan(source, report);
  return {
    plan,
    problems: report.issues.map(({ message }) => message),
    warnings: report.warnings.map(({ message }) => message),
  };
}

test('hooks are parsed in their order, with and without options', () => {
  const source = {
    beforeCreate: ['slugify', { hook: 'stamp', options: { field: 'title' } }, { hook: 'plain' }],
    afterDelete: ['log'],
  };
  expect(read(source)).toEqual({
    plan: {
      beforeCreate: [
        { name: 'slugify', options: undefined },
        { name: 'stamp', options: { field: 'title' } },
        { name: 'plain', options: undefined },
      ],
      afterDelete: [{ name: 'log', options: undefined }],
    },
    problems: [],
    warnings: [],
  });
});

test.each([undefined, null, {}, { beforeGet: [] }])('the hooks %j mean that no hook runs', (source) => {
  expect(read(source)).toEqual({ plan: null, problems: [], warnings: [] });
});

test.each<[Json, RegExp]>([
  ['slugify', /must be an object of events/],
  [[], /must be an object of events/],
  [{ beforeCreate: 'slugify' }, /beforeCreate must be a list/],
  [{ beforeCreate: null }, /beforeCreate must be a list/],
  [{ afterGet: ['ok', 5] }, /afterGet: item 2 must be the name/],
  [{ afterGet: ['../../etc'] }, /item 1/],
  [{ afterGet: [''] }, /item 1/],
  [{ afterGet: ['x'.repeat(101)] }, /item 1/],
  [{ afterGet: [{ options: {} }] }, /item 1/],
  [{ afterGet: [{ hook: 'a', option: {} }] }, /item 1/],
  [{ afterGet: [{ hook: 5 }] }, /item 1/],
  [{ afterGet: Array.from({ length: 21 }, () => 'a') }, /afterGet must have at most 20 hooks/],
])('the hooks %j are rejected', (source, message) => {
  const { problems } = read(source);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});

test.each(['create', 'BeforeCreate', 'constructor', '__proto__'])('the event %s is a warning', (event) => {
  const source = JSON.parse(`{"${event}": ["x"], "afterGet": ["y"]}`);
  const { plan, problems, warnings } = read(source);
  expect(plan).toEqual({ afterGet: [{ name: 'y', options: undefined }] });
  expect(problems).toEqual([]);
  expect(warnings[0]).toContain(`\`${event}\` is no event: beforeCreate, `);
});
