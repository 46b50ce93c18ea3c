// What a package.json says of the files that its package offers.
import { describe, expect, it } from 'vitest';
import {
  browserSubstitute,
  exportedPath,
  importedPath,
  mainPath,
} from '../../src/migration/code/package-exports.ts';

describe('exports of a package', () => {
  it.each([
    ['./a.js', '.', './a.js'],
    [['./a.js', './b.js'], '.', './a.js'],
    [[{ node: './n.js' }, './b.js'], '.', './b.js'],
    [{ node: './n.js', require: './r.js' }, '.', './r.js'],
    [{ node: './n.js' }, '.', undefined],
    [{ '.': { import: './i.js', require: { browser: './b.js' } } }, '.', './b.js'],
    [{ '.': null }, '.', undefined],
    [{ './x': './x.js' }, './y', undefined],
    [{ './*': './src/*.js' }, './a/b', './src/a/b.js'],
    [{ './*': './short/*.js', './a/*': './long/*.js', './a/b*': './none/*' }, './a/c', './long/c.js'],
    [{ './a/*': './long/*.js', './*': './short/*.js' }, './a/c', './long/c.js'],
    [{ './*.js': './src/*.js' }, './a.css', undefined],
    [{ './*/*': './src/*.js' }, './a/b', undefined],
    [{ './*': './src/*/*.js' }, './a', './src/a/a.js'],
    [{ './*': './src/*' }, './*', './src/*'],
  ])('%j give for %s the file %s', (exported, path, file) => {
    expect(exportedPath(exported, path, 'require')).toBe(file);
  });

  it('of ES modules are those for import', () => {
    const exported = { '.': { require: './r.js', import: './i.js' } };
    expect(exportedPath(exported, '.', 'import')).toBe('./i.js');
  });

  it('end where conditions nest without an end', () => {
    let target: object | string = './a.js';
    for (let depth = 0; depth < 50; depth += 1) target = { default: target };
    expect(exportedPath(target as never, '.', 'require')).toBeUndefined();
  });
});

describe('a package', () => {
  it('names parts of its own', () => {
    expect(importedPath({ '#a': './a.js', '#b/*': './b/*.js' }, '#a', 'require')).toBe('./a.js');
    expect(importedPath({ '#b/*': { import: './b/*.js' } }, '#b/c', 'import')).toBe('./b/c.js');
    expect(importedPath({ '#a': './a.js' }, '#c', 'require')).toBeUndefined();
    expect(importedPath(undefined, '#a', 'require')).toBeUndefined();
  });

  it.each([
    [{}, './index.js'],
    [{ main: 'm.js' }, 'm.js'],
    [{ main: 'm.js', browser: 'b.js' }, 'b.js'],
    [{ main: 'm.js', browser: { './m.js': './b.js' } }, 'm.js'],
    [{ main: 'm.js', module: 'e.js' }, 'm.js'],
    [{ main: '' }, './index.js'],
  ])('%j has the main file %s', (manifest, file) => {
    expect(mainPath(manifest as never, 'require')).toBe(file);
  });

  it('has another main file for ES modules', () => {
    expect(mainPath({ main: 'm.js', module: 'e.js' }, 'import')).toBe('e.js');
  });

  it.each([
    [{ './a.js': './b.js' }, './a.js', './b.js'],
    [{ 'a.js': './b.js' }, './a.js', './b.js'],
    [{ './a': './b.js' }, './a.js', './b.js'],
    [{ fs: false }, 'fs', false],
    [{ fs: false }, 'path', undefined],
    [{ './a.js': 5 }, './a.js', undefined],
    ['b.js', './a.js', undefined],
    [{}, 'constructor', undefined],
  ])('with the substitutes %j has for %s %s', (browser, path, found) => {
    expect(browserSubstitute({ browser } as never, path)).toBe(found);
  });
});
