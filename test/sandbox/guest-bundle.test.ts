import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aloneText, BUNDLE, isSynchronous, moduleText, usesOf } from '../../sandbox/guest-bundle.js';

const FOLDER = new URL('../../sandbox/guest/', import.meta.url);

describe('the texts that are compiled in an isolate', () => {
  it('hold every file of the folder, byte for byte', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((name) => !BUNDLE.includes(readFileSync(new URL(name, FOLDER), 'utf8')))).toEqual([]);
  });

  it('are strict in every file of ours', () => {
    for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.js'))) {
      expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toMatch(
        /^(\/\/.*\n)+\(function \w+\([^)]*\) \{\n {2}'use strict';\n/,
      );
    }
  });

  it('keep the lines of the author', () => {
    expect(moduleText('a;\nb;').split('\n').slice(1, 3)).toEqual(['a;', 'b;']);
    expect(aloneText('a;').split('\n')).toEqual(['return;', 'a;']);
    expect(moduleText('#!x\ny').split('\n')[1]).toBe('//x');
  });
});

describe('the names that a text can use', () => {
  it('are those that it holds', () => {
    expect(usesOf('exports.get = () => {}')).toEqual({
      console: false,
      model: false,
      fetch: false,
      timers: false,
      queueMicrotask: false,
      crypto: false,
      math: false,
      require: false,
      promises: false,
    });
    expect(usesOf('clearInterval(1); Math.max(); fetch(); console')).toMatchObject({
      timers: true,
      math: true,
      fetch: true,
      console: true,
    });
    expect(usesOf("require('x')")).toMatchObject({ require: true, model: true });
  });

  it.each(['Promise.resolve()', 'async () => {}', 'Array.fromAsync', 'await using x', "import('x')"])(
    'hold promises in %s',
    (text) => {
      expect(usesOf(text)).toMatchObject({ promises: true });
    },
  );

  it('are all of them where any name could be written with escapes', () => {
    expect(Object.values(usesOf('f\\u0065tch')).every(Boolean)).toBe(true);
  });
});

describe('a module whose requests are over when their handler has returned', () => {
  const options = {
    isolation: 'realm',
    model: true,
    fetch: true,
    source: 'exports.get = (req, res) => res.end()',
  } as const;

  it('runs in the realm and names neither promises nor what the server answers', () => {
    expect(isSynchronous(options)).toBe(true);
    expect(isSynchronous({ ...options, isolation: 'context' })).toBe(false);
    expect(isSynchronous({ ...options, isolation: 'isolate' })).toBe(false);
  });

  it.each([
    'Promise',
    'async',
    'Model',
    'fetch',
    'setTimeout',
    'queueMicrotask',
    'crypto',
    'require',
    '\\u0061',
  ])('is none that names %s', (text) => {
    expect(isSynchronous({ ...options, source: text })).toBe(false);
  });

  it('may name what it is not granted', () => {
    expect(isSynchronous({ ...options, source: 'Model; fetch', model: false, fetch: false })).toBe(true);
  });
});
