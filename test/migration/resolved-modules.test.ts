// Files that code names, as Node and bundlers find them, and what is said where there are none.
import { describe, expect, it } from 'vitest';
import { bundled, load } from './bundled-files.ts';

const said = async (code: string, files: Readonly<Record<string, unknown>> = {}) =>
  (await bundled({ 'a.js': code, ...files }, 'a.js')).complained.join('\n');

describe('a name', () => {
  it.each([
    ["require('./gone')", '`./gone` is not there'],
    ["require('/etc/passwd')", 'an absolute path is of one machine alone'],
    ["require('p\\0')", 'an absolute path is of one machine alone'],
    ["require('.hidden')", '`.hidden` names no package'],
    ["require('gone')", '`gone` is not installed beside it: run `npm install` in its folder'],
    ["require('@scope/gone/part')", '`@scope/gone` is not installed beside it'],
    ["require('#gone')", '`#gone` is not in `imports` of its package'],
    ["require('http2')", '`http2` reaches the machine: use `fetch`'],
    ["require('node:worker_threads')", 'code in the sandbox neither sees nor starts processes'],
    ["require('./x' + 1)", 'a name that is computed cannot be bundled'],
    ["require('./data.txt')", 'it is not JavaScript'],
    ["require('./broken.json')", 'it is not valid JSON'],
    ["require('./broken.js')", 'Unexpected token'],
  ])('that leads nowhere is told: %s', async (code, told) => {
    const files = { 'data.txt': 'x', 'broken.json': '{', 'broken.js': 'a b' };
    expect(await said(code, files)).toContain(told);
  });

  it.each([
    [{ name: 'p', exports: { './part': './part.js' } }, "require('p')", 'the package does not offer `.`'],
    [{ name: 'p', exports: '../../a.js' }, "require('p')", 'the package does not offer `.`'],
    [{ name: 'p', exports: './gone.js' }, "require('p')", '`.` is not there'],
    [{ name: 'p', main: '../../a.js' }, "require('p')", 'is not there'],
    [
      { name: 'p', browser: { './index.js': './gone.js' } },
      "require('p/index.js')",
      '`./gone.js` is not there',
    ],
    [{ name: 'p', browser: { q: 'r', r: 'q' }, main: 'm.js' }, "require('p')", 'leads to itself'],
  ])('in a package with %j, as in %s, is told', async (manifest, code, told) => {
    const files = {
      'node_modules/p/package.json': manifest,
      'node_modules/p/part.js': '1',
      'node_modules/p/m.js': "require('q')",
      ...(JSON.stringify(manifest).includes('gone.js') && { 'node_modules/p/index.js': '1' }),
    };
    expect(await said(code, files)).toContain(told);
  });

  it('may be a folder, with or without a main file, a package in a package, or what a package calls itself by', async () => {
    const files = {
      'package.json': { name: 'site', imports: { '#db': './db.js' } },
      'a.js':
        "module.exports = [require('./lib'), require('./main'), require('p'), require('#db'), require('p/lib/')];",
      'db.js': "module.exports = 'db';",
      'lib/index.js': "module.exports = 'lib';",
      'main/package.json': { main: './src' },
      'main/src/index.json': { of: 'main' },
      'node_modules/p/package.json': {
        name: 'p',
        main: 'gone',
        browser: { './dull.js': './bright', q: './q.js' },
      },
      'node_modules/p/index.js': "module.exports = [require('q'), require('./dull'), require('r')];",
      'node_modules/p/lib/index.js': "module.exports = 'p/lib';",
      'node_modules/p/q.js': "module.exports = 'own q';",
      'node_modules/p/dull.js': "require('fs')",
      'node_modules/p/bright/index.js': "module.exports = 'bright';",
      'node_modules/p/node_modules/r/index.js': "module.exports = 'inner r';",
      'node_modules/r/index.js': "module.exports = 'outer r';",
    };
    const { text, complained } = await bundled(files, 'a.js');
    expect(complained).toEqual([]);
    expect(load(text)).toEqual(['lib', { of: 'main' }, ['own q', 'bright', 'inner r'], 'db', 'p/lib']);
  });

  it('that may fail is left to fail when the code runs', async () => {
    const { text, complained } = await bundled(
      { 'a.js': "try { require('gone') } catch (error) { module.exports = error.message }" },
      'a.js',
    );
    expect(complained).toEqual([]);
    expect(load(text)).toBe('no module gone');
  });
});
