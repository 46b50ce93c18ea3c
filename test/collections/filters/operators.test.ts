import { describe, expect, test } from 'vitest';
import {
  isOperatorObject,
  parseRegexTest,
  parseSlashedRegex,
} from '../../../src/collections/filters/operators.ts';
import { createFilterQuota } from '../../../src/collections/filters/parse.ts';
import { AppError } from '../../../src/errors/errors.ts';
import { ID, issueOf, parseSample } from './sample.ts';

const tests = (path: string, operators: object) => {
  const filter = parseSample({ [path]: operators } as never);
  return filter.kind === 'field' ? filter.tests : undefined;
};

describe('operators compare exactly and coerce operands by the type of the field', () => {
  test.each([
    ['title', { $eq: 'A' }, [{ kind: 'eq', value: 'A' }]],
    ['title', { $ne: null }, [{ kind: 'ne', value: null }]],
    [
      'pages',
      { $gt: '1', $lte: 9 },
      [
        { kind: 'gt', value: 1 },
        { kind: 'lte', value: 9 },
      ],
    ],
    [
      'pages',
      { $gte: -1, $lt: '2e3' },
      [
        { kind: 'gte', value: -1 },
        { kind: 'lt', value: 2000 },
      ],
    ],
    ['pages', { $in: ['1', 2, null] }, [{ kind: 'in', values: [1, 2, null] }]],
    ['inPrint', { $nin: ['true', false] }, [{ kind: 'nin', values: [true, false] }]],
    ['author', { $all: [ID] }, [{ kind: 'all', values: [ID.toLowerCase()] }]],
    ['title', { $exists: false }, [{ kind: 'exists', value: false }]],
    ['title', { $size: 0 }, [{ kind: 'size', value: 0 }]],
    ['notes', { $type: 'null' }, [{ kind: 'type', names: ['null'] }]],
    ['notes', { $type: ['string', 'bool'] }, [{ kind: 'type', names: ['string', 'bool'] }]],
    ['title', { $regex: '^a' }, [{ kind: 'regex', pattern: '^a', flags: 'i' }]],
    ['title', { $regex: 'a', $options: '' }, [{ kind: 'regex', pattern: 'a', flags: '' }]],
    ['title', { $options: 'sm', $regex: 'a' }, [{ kind: 'regex', pattern: 'a', flags: 'sm' }]],
    ['title', { $not: { $eq: 'a' } }, [{ kind: 'not', tests: [{ kind: 'eq', value: 'a' }] }]],
    ['title', { $not: '/^a/i' }, [{ kind: 'not', tests: [{ kind: 'regex', pattern: '^a', flags: 'i' }] }]],
    [
      'title',
      { $not: '/a\\/b/' },
      [{ kind: 'not', tests: [{ kind: 'regex', pattern: 'a\\/b', flags: '' }] }],
    ],
    [
      'shelf',
      { $elemMatch: { $eq: ID } },
      [{ kind: 'elemMatchValue', tests: [{ kind: 'eq', value: ID.toLowerCase() }] }],
    ],
  ])('%s %j', (path, operators, expected) => {
    expect(tests(path, operators)).toEqual(expected);
  });

  test('$elemMatch takes a filter on the elements, with exact comparison and any path', () => {
    const inner = { w: 'A', 'x.y': { $gt: 1 }, $or: [{ z: 1 }, { z: 2 }] };
    expect(tests('dimensions', { $elemMatch: inner })).toEqual([
      {
        kind: 'elemMatch',
        filter: {
          kind: 'and',
          filters: [
            { kind: 'field', path: 'w', tests: [{ kind: 'eq', value: 'A' }] },
            { kind: 'field', path: 'x.y', tests: [{ kind: 'gt', value: 1 }] },
            {
              kind: 'or',
              filters: [1, 2].map((value) => ({ kind: 'field', path: 'z', tests: [{ kind: 'eq', value }] })),
            },
          ],
        },
      },
    ]);
    expect(tests('dimensions', { $elemMatch: { $or: [{ a: 1 }] } })).toMatchObject([{ kind: 'elemMatch' }]);
  });
});

describe('operands of the wrong kind are FILTER_INVALID', () => {
  test.each([
    [{ $in: 'a' }, /list/],
    [{ $nin: { a: 1 } }, /list/],
    [{ $in: [{ $gt: 1 }] }, /inside the operand/],
    [{ $eq: { $ne: 1 } }, /inside the operand/],
    [{ $exists: 1 }, /true or false/],
    [{ $size: -1 }, /whole number/],
    [{ $size: 1.5 }, /whole number/],
    [{ $size: '1' }, /whole number/],
    [{ $type: 'date' }, /string, number/],
    [{ $type: [] }, /string, number/],
    [{ $type: 2 }, /string, number/],
    [{ $not: 'plain' }, /\/text\/flags/],
    [{ $not: 5 }, /\/text\/flags/],
    [{ $not: {} }, /\/text\/flags/],
    [{ $regex: 5 }, /text/],
    [{ $regex: { a: 1 } }, /text/],
    [{ $regex: 'a', $options: 1 }, /text/],
    [{ $options: 'i' }, /beside it/],
    [{ $elemMatch: 1 }, /object/],
    [{ $elemMatch: [] }, /object/],
    [{ $not: { $not: { $eq: 1, $foo: 1 } } }, /not offered/],
  ])('%j', (operators, message) => {
    expect(issueOf({ title: operators } as never).message).toMatch(message);
  });

  test('nesting of $not and $elemMatch counts as depth', () => {
    let operators: object = { $eq: 1 };
    for (let level = 0; level < 9; level += 1) operators = { $not: operators };
    expect(issueOf({ title: operators } as never).message).toMatch(/deeper than 8/);
  });
});

test('an object with at least one key that starts with $ is an object of operators', () => {
  expect(isOperatorObject({ $gt: 1 })).toBe(true);
  expect(isOperatorObject({ a: 1, $gt: 1 })).toBe(true);
  expect(isOperatorObject({ a: { $gt: 1 } })).toBe(false);
  expect(isOperatorObject({})).toBe(false);
  expect(isOperatorObject(['$gt'])).toBe(false);
});

const context = () => ({ path: 'title', quota: createFilterQuota({ filterDepth: 1, filterNodes: 1 }) });

const wrongPath = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error instanceof AppError ? error.items[0]?.field : error;
  }
  return 'no error';
};

test('a regex test keeps pattern and flags', () => {
  expect(parseRegexTest(context(), 'a|b', 'ims')).toEqual({ kind: 'regex', pattern: 'a|b', flags: 'ims' });
  expect(parseSlashedRegex(context(), '/a/b/s')).toEqual({ kind: 'regex', pattern: 'a/b', flags: 's' });
  expect(parseSlashedRegex(context(), '/a\nb/')).toEqual({ kind: 'regex', pattern: 'a\nb', flags: '' });
});

test.each([
  ['look-around', '(?=a)', ''],
  ['a back reference', '(a)\\1', ''],
  ['broken syntax', '(', ''],
  ['a huge pattern', 'a'.repeat(5000), ''],
  ['exploding repeats', '((a{1000}){1000}){1000}', ''],
  ['an unknown flag', 'a', 'x'],
  ['a flag twice', 'a', 'ii'],
])('a pattern with %s is a FILTER_INVALID that names the path', (_name, pattern, flags) => {
  expect(wrongPath(() => parseRegexTest(context(), pattern, flags))).toBe('title');
});

test('all patterns of a filter share one size limit', () => {
  const shared = context();
  const large = 'a'.repeat(900);
  parseRegexTest(shared, large, '');
  parseRegexTest(shared, large, '');
  expect(wrongPath(() => parseRegexTest(shared, large, ''))).toBe('title');
  const classes = context();
  const letters = Array.from({ length: 480 }, (_, n) => String.fromCodePoint(0x400 + 2 * n)).join('');
  for (let n = 0; n < 4; n += 1) parseRegexTest(classes, `[${letters}]`, 'i');
  expect(wrongPath(() => parseRegexTest(classes, `[${letters}]`, 'i'))).toBe('title');
});

test.each(['plain', '/open', '//', '/a/G', ''])(
  '$not does not accept the text %j, which is no slashed pattern',
  (text) => {
    expect(wrongPath(() => parseSlashedRegex(context(), text))).toBe('title');
  },
);
