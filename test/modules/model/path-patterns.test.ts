import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import {
  continuesBelow,
  matchPathPattern,
  parsePathPattern,
  pathPatternsOverlap,
} from '../../../src/modules/model/path-patterns.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const parse = (route: string) => parsePathPattern(route, '1.0');
const match = (route: string, path: string) => matchPathPattern(parse(route), path.split('/'));

describe('a route pattern', () => {
  it.each([
    ['/1.0/books', 'books', {}],
    ['/1.0/books/:id', 'books/a b', { id: 'a b' }],
    ['/1.0/books/:id?', 'books', {}],
    ['/1.0/books/:id?', 'books/7', { id: '7' }],
    ['/1.0/books/:id([a-fA-F0-9]{24})?', `books/${'aB3'.repeat(8)}`, { id: 'aB3'.repeat(8) }],
    ['/1.0/:a/to/:b', 'x/to/y', { a: 'x', b: 'y' }],
    ['/1.0/f/:kind(json|csv)', 'f/csv', { kind: 'csv' }],
    ['/1.0/f/:x([^/]+)', 'f/anything', { x: 'anything' }],
    ['/1.0/f/:x(\\d{2,3})', 'f/123', { x: '123' }],
    ['/1.0/f/:x([\\w.-]*z?)', 'f/a.b-z', { x: 'a.b-z' }],
    ['/1.0/f/:__proto__', 'f/x', { ['__proto__']: 'x' }],
  ])('%s matches %s', (route, path, params) => {
    const found = match(route, path);
    expect(found).toBeDefined();
    expect(Object.entries(found ?? {})).toEqual(Object.entries(params));
    expect(Object.getPrototypeOf(found)).toBeNull();
  });

  it.each([
    ['/1.0/books', 'books/1'],
    ['/1.0/books', 'Books'],
    ['/1.0/books/:id', 'books'],
    ['/1.0/books/:id', 'books/'],
    ['/1.0/books/:id?', 'books/'],
    ['/1.0/books/:id?', 'books/1/2'],
    ['/1.0/books/:id([a-f]{2})', 'books/abc'],
    ['/1.0/books/:id([a-f]{2})', 'books/ab\n'],
    ['/1.0/books/:id(a|b)', 'books/ab'],
    ['/1.0/books/:id([a-z]+)', `books/${'a'.repeat(501)}`],
  ])('%s does not match %s', (route, path) => {
    expect(match(route, path)).toBeUndefined();
  });

  it.each([
    '',
    'books',
    '/1.0',
    '/1.0/',
    '/2.0/books',
    '/books',
    '//1.0/books',
    '/1.0//books',
    '/1.0/books/',
    '/1.0/..',
    '/1.0/bo oks',
    '/1.0/bo%20oks',
    '/1.0/*',
    '/1.0/books*',
    '/1.0/:',
    '/1.0/:1a',
    '/1.0/:a-:b',
    '/1.0/file.:ext',
    '/1.0/:a?/b',
    '/1.0/:a?',
    '/1.0/x/:a/:a',
    '/1.0/x/:a+',
    '/1.0/x/:a()',
    '/1.0/x/:a((a+)+b)',
    '/1.0/x/:a(a{2}{3})',
    '/1.0/x/:a(a++)',
    '/1.0/x/:a([a-z)',
    '/1.0/x/:a([[a]])',
    '/1.0/x/:a(\\b)',
    '/1.0/x/:a(^a$)',
    '/1.0/x/:a([z-a])',
    '/1.0/x/:a(a{3,2})',
    `/1.0/x/:a(${'a{999}'.repeat(20)})`,
    `/1.0/${'x'.repeat(500)}`,
    `/1.0${'/x'.repeat(21)}`,
    `/1.0/x/:${'a'.repeat(65)}`,
  ])('%j is rejected', (route) => {
    expect(() => parse(route)).toThrow(AppError);
    try {
      parse(route);
    } catch (error) {
      expect((error as AppError).items).toMatchObject([{ field: 'route', code: 'ENDPOINT_LOAD' }]);
    }
  });

  it('is matched in time linear in the path', () => {
    const route = parse('/1.0/x/:a([a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[0-9])');
    const begun = threadCpuMs();
    for (let count = 0; count < 10; count += 1) {
      expect(matchPathPattern(route, ['x', 'a'.repeat(500)])).toBeUndefined();
    }
    expect(threadCpuMs() - begun).toBeLessThan(2000);
  });

  it('tests its rules only where its literal texts match', () => {
    const asked: string[] = [];
    const rule = { name: 'a', accepts: (text: string) => asked.push(text) > 0 };
    const route = { text: '', segments: [rule, 'x'], optional: false };
    expect([matchPathPattern(route, ['1', 'y']), { ...matchPathPattern(route, ['2', 'x']) }]).toEqual([
      undefined,
      { a: '2' },
    ]);
    expect(asked).toEqual(['2']);
  });
});

describe('two route patterns', () => {
  it.each([
    ['/1.0/a/b', '/1.0/a/b'],
    ['/1.0/a/:x', '/1.0/a/b'],
    ['/1.0/a/:x', '/1.0/:y/b'],
    ['/1.0/a/:x?', '/1.0/a'],
    ['/1.0/a/:x?', '/1.0/a/:y/:z?'],
    ['/1.0/a/:x([a-z])', '/1.0/a/:y([0-9])'],
  ])('%s and %s overlap', (a, b) => {
    expect(pathPatternsOverlap(parse(a), parse(b))).toBe(true);
    expect(pathPatternsOverlap(parse(b), parse(a))).toBe(true);
  });

  it.each([
    ['/1.0/a/b', '/1.0/a/c'],
    ['/1.0/a/:x', '/1.0/a'],
    ['/1.0/a/:x([0-9]+)', '/1.0/a/b'],
    ['/1.0/a/:x/:z?', '/1.0/a'],
  ])('%s and %s do not overlap', (a, b) => {
    expect(pathPatternsOverlap(parse(a), parse(b))).toBe(false);
    expect(pathPatternsOverlap(parse(b), parse(a))).toBe(false);
  });

  it('find what continues below a path', () => {
    expect(continuesBelow(parse('/1.0/a/:x/c'), ['a', 'b'])).toBe(true);
    expect(continuesBelow(parse('/1.0/a/:x'), ['a', 'b'])).toBe(false);
    expect(continuesBelow(parse('/1.0/a/:x([0-9])/c'), ['a', 'b'])).toBe(false);
  });
});

const REPORT = endpoint('report');

describe('a custom route', () => {
  it('replaces the default path except its sub-resources', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(REPORT, code({ route: '/1.0/reports/:id([0-9]{2})?' }), ALICE);
    const { registry } = modules;
    expect(registry.match('/1.0/reports/42')).toMatchObject({ params: { id: '42' }, sub: [] });
    expect(registry.match('/1.0/reports')?.params).toEqual({});
    expect(registry.match('/1.0/reports/425')).toBeUndefined();
    expect(registry.match('/1.0/report')).toBeUndefined();
    expect(registry.match('/1.0/report/versions/3')?.sub).toEqual(['versions', '3']);
    expect(registry.get(REPORT)?.path).toBe('/1.0/reports/:id([0-9]{2})?');
  });

  it.each([
    ['a collection', '/1.0/library/:x'],
    ['what is below a collection', '/1.0/:a/:b/count'],
    ['another endpoint', '/1.0/:page'],
    ['a sub-resource of another endpoint', '/1.0/other/:x'],
    ['a route of another endpoint', '/1.0/shelf/:y'],
    ['a reserved path', '/1.0/search'],
  ])('must not shadow %s', async (_, route) => {
    const { modules } = await loadedModules({ collections: ['1.0/library/books'] });
    await modules.postCode(endpoint('other'), code(), ALICE);
    await modules.postCode(endpoint('routed'), code({ route: '/1.0/shelf/:x' }), ALICE);
    await expect(modules.postCode(REPORT, code({ route }), ALICE)).rejects.toMatchObject({
      code: 'ENDPOINT_INVALID',
      items: [{ field: 'route', message: expect.stringMatching(/^shadows/) }],
    });
    await modules.postCode(endpoint('routed'), code({ route: '/1.0/shelf/:y' }), ALICE);
  });

  it('blocks its paths for other endpoints', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(endpoint('page'), code({ route: '/1.0/:lang([a-z]{2})' }), ALICE);
    await expect(modules.postCode(endpoint('de'), code(), ALICE)).rejects.toMatchObject({
      items: [{ message: '`/1.0/de` belongs to the route of `page`' }],
    });
    await modules.postCode(endpoint('den'), code(), ALICE);
  });
});
