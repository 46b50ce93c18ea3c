import { describe, expect, it } from 'vitest';
import { createModuleRegistry } from '../../../src/modules/model/module-registry.ts';
import type { LiveModule, ModuleAddress } from '../../../src/modules/model/module-types.ts';
import { parsePathPattern } from '../../../src/modules/model/path-patterns.ts';
import { collectionsNamed, endpoint, hook } from '../open-modules.ts';

function open(collections: readonly string[] = []) {
  const registry = createModuleRegistry(collectionsNamed(collections));
  const add = (address: ModuleAddress, pattern?: string) => {
    const path =
      pattern ??
      (address.kind === 'hook' ? `/api/hooks/${address.name}` : `/${address.apiVersion}/${address.name}`);
    const live: LiveModule = {
      address,
      path,
      state: 'active',
      methods: ['GET'],
      authenticate: true,
      postedBy: null,
      postedAt: 0,
    };
    registry.put(live, pattern === undefined ? undefined : parsePathPattern(pattern, '1.0'));
    return live;
  };
  const reached = (path: string) => {
    const found = registry.match(path);
    return found && [found.endpoint.address.name, { ...found.params }, found.sub];
  };
  return { registry, add, reached };
}

describe('matching a path', () => {
  it('finds endpoints by their path', () => {
    const { add, reached, registry } = open();
    expect(reached('/1.0/report')).toBeUndefined();
    const live = add(endpoint('report'));
    add(hook('slugify'));
    expect(reached('/1.0/report')).toEqual(['report', {}, []]);
    expect(registry.match('/1.0/report')?.endpoint).toBe(live);
    expect(reached('/1.0/report/')).toEqual(['report', {}, []]);
    expect(reached('/1.0/rep%6frt')).toEqual(['report', {}, []]);
    for (const path of [
      ...['/', '', '/1.0', '/1.0/', '/1.0/Report', '/2.0/report', '/1.0/report//', '//1.0/report'],
      ...[
        '/1.0/rep%256frt',
        '/1.0%2freport',
        '/1.0/report%',
        '/1.0/%ff',
        '/api/hooks/slugify',
        '/1.0/report%00',
      ],
      ...['/__proto__/constructor', '/1.0/report/unknown', '/1.0/report/config%2f'],
    ]) {
      expect(reached(path), path).toBeUndefined();
    }
  });

  it('finds sub-resources except those that are collections', () => {
    const { add, reached } = open(['1.0/library/logs']);
    add(endpoint('report'));
    add(endpoint('library'));
    expect(reached('/1.0/report/config')).toEqual(['report', {}, ['config']]);
    expect(reached('/1.0/report/versions/1/diff/2')).toEqual(['report', {}, ['versions', '1', 'diff', '2']]);
    expect(reached('/1.0/report/logs/')).toEqual(['report', {}, ['logs']]);
    expect(reached('/1.0/library/logs')).toBeUndefined();
    expect(reached('/1.0/library/logs/count')).toBeUndefined();
    expect(reached('/1.0/library/config')).toEqual(['library', {}, ['config']]);
  });

  it('finds custom routes by decoded segments', () => {
    const { add, reached } = open();
    add(endpoint('read'), '/1.0/books/:id?');
    add(endpoint('lang'), '/1.0/:lang([a-z]{2})/start');
    expect(reached('/1.0/books')).toEqual(['read', {}, []]);
    expect(reached('/1.0/books/a%2fb%20c')).toEqual(['read', { id: 'a/b c' }, []]);
    expect(reached('/1.0/de/start')).toEqual(['lang', { lang: 'de' }, []]);
    expect(reached('/1.0/deu/start')).toBeUndefined();
    expect(reached('/1.0/read')).toBeUndefined();
    expect(reached('/1.0/read/config')).toEqual(['read', {}, ['config']]);
    expect(reached('/2.0/books')).toBeUndefined();
  });

  it('finds no endpoint for collections and for paths where code and specifications are posted', () => {
    const { add, reached } = open(['1.0/library/books']);
    add(endpoint('a'), '/1.0/library/:x');
    add(endpoint('b'), '/1.0/:x/:y/:z');
    add(endpoint('c'), '/1.0/:word');
    expect(reached('/1.0/library/films')).toEqual(['a', { x: 'films' }, []]);
    expect(reached('/1.0/library/books')).toBeUndefined();
    expect(reached('/1.0/library/books/count')).toBeUndefined();
    expect(reached('/1.0/library/films/count')).toEqual(['b', { x: 'library', y: 'films', z: 'count' }, []]);
    expect(reached('/1.0/library/config')).toBeUndefined();
    expect(reached('/1.0/library/films/config')).toBeUndefined();
    expect(reached('/1.0/search')).toBeUndefined();
    expect(reached('/1.0/word')).toEqual(['c', { word: 'word' }, []]);
  });

  it('prefers a default path, then the first pattern by its text', () => {
    const { add, reached } = open();
    add(endpoint('page'), '/1.0/:page');
    add(endpoint('second'), '/1.0/x/:b');
    add(endpoint('first'), '/1.0/x/:a');
    add(endpoint('report'));
    expect(reached('/1.0/report')?.[0]).toBe('report');
    expect(reached('/1.0/other')?.[0]).toBe('page');
    expect(reached('/1.0/x/1')?.[0]).toBe('first');
  });
});

describe('the module registry', () => {
  it('replaces and removes modules', () => {
    const { add, reached, registry } = open();
    add(endpoint('report'), '/1.0/old/:x');
    const next = add(endpoint('report'), '/1.0/new/:x');
    expect(reached('/1.0/old/1')).toBeUndefined();
    expect(reached('/1.0/new/1')).toEqual(['report', { x: '1' }, []]);
    expect(registry.get(endpoint('report'))).toBe(next);
    expect(registry.findByKey('endpoint:1.0/report')).toBe(next);
    registry.remove(endpoint('report'));
    registry.remove(endpoint('report'));
    expect(reached('/1.0/new/1')).toBeUndefined();
    expect(registry.list()).toEqual([]);
  });

  it('lists modules by path, and endpoints with their routes', () => {
    const { add, registry } = open();
    add(hook('slugify'));
    add(endpoint('b'));
    add(endpoint('a'), '/1.0/z/:x');
    expect(registry.list().map(({ path }) => path)).toEqual(['/1.0/b', '/1.0/z/:x', '/api/hooks/slugify']);
    expect(registry.endpointPaths().map(({ address, pattern }) => [address.name, pattern?.text])).toEqual([
      ['b', undefined],
      ['a', '/1.0/z/:x'],
    ]);
  });
});
