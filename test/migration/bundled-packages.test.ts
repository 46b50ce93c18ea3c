// What a bundle is made of: files of packages as they say, ES modules, circles, JSON.
import { describe, expect, it } from 'vitest';
import { bundled, load } from './bundled-files.ts';

describe('a bundle', () => {
  it('takes ES modules for what they export, also those of packages', async () => {
    const files = {
      'a.js': "import pad, { size } from 'padding';\nexport function get() { return pad('x') + size; }\n",
      'node_modules/padding/package.json': {
        name: 'padding',
        version: '1.0.0',
        exports: { import: './es.mjs', require: './gone.js' },
      },
      'node_modules/padding/es.mjs':
        "export const size = 3;\nexport default (text) => text.padStart(size, '0');\n",
    };
    const { code, text, complained } = await bundled(files, 'a.js');
    expect({ code, complained }).toEqual({ code: 0, complained: [] });
    expect((load(text) as { get(): string }).get()).toBe('00x3');
  });

  it('follows what packages say of their files: exports, patterns, imports, browser', async () => {
    const files = {
      'a.js': "module.exports = [require('p'), require('p/parts/one'), require('q')];",
      'node_modules/p/package.json': {
        name: 'p',
        exports: { '.': { node: './gone.js', default: './main.js' }, './parts/*': './src/*.js' },
        imports: { '#inner': './src/inner.js' },
      },
      'node_modules/p/main.js': "module.exports = require('#inner');",
      'node_modules/p/src/inner.js': "module.exports = 'inner';",
      'node_modules/p/src/one.js': "module.exports = 'one';",
      'node_modules/q/package.json': {
        name: 'q',
        main: 'lib',
        browser: { './lib/random.js': './lib/plain.js', fs: false },
      },
      'node_modules/q/lib/index.js': "module.exports = [require('./random'), require('fs')];",
      'node_modules/q/lib/random.js': "require('crypto');",
      'node_modules/q/lib/plain.js': "module.exports = 'plain';",
    };
    const { text, complained } = await bundled(files, 'a.js');
    expect(complained).toEqual([]);
    expect(load(text)).toEqual(['inner', 'one', ['plain', {}]]);
  });

  it.each([
    [
      'a file that requires its entry',
      {
        'a.js': "exports.name = 'a'; exports.b = require('./b').of;",
        'b.js': "exports.of = 'b of ' + require('./a').name;",
      },
      { name: 'a', b: 'b of a' },
    ],
    [
      'a module that is a function',
      { 'a.js': "import b from './b.mjs'; export default () => b;", 'b.mjs': 'export default 5;' },
      5,
    ],
    [
      'a return at the top',
      {
        'a.js': "module.exports = require('./b'); return; module.exports = 0;",
        'b.js': 'module.exports = 3;',
      },
      3,
    ],
    [
      'JSON with any names',
      {
        'a.js': "module.exports = Object.keys(require('./b.json'));",
        'b.json': '{"__proto__": 1, "a\u2028": 2}',
      },
      ['__proto__', 'a\u2028'],
    ],
  ] as const)('bundles %s', async (_what, files, value) => {
    const { code, text, complained } = await bundled(files, 'a.js');
    expect({ code, complained }).toEqual({ code: 0, complained: [] });
    const loaded: unknown = load(text);
    expect(typeof loaded === 'function' ? loaded() : loaded).toEqual(value);
  });

  it.each([
    [
      'an octal number',
      'module.exports = 010;',
      "'0'-prefixed octal literals and octal escape sequences are deprecated",
    ],
    ['a with', 'with (Math) exports.x = PI;', "'with' statements are not allowed"],
  ])('has no %s, which strict mode knows no more: its line is named', async (_what, old, reason) => {
    const { code, complained } = await bundled({ 'a.js': "require('./b');", 'b.js': `\n\n${old}` }, 'a.js');
    expect({ code, complained }).toEqual({
      code: 1,
      complained: [`b.js:3: it cannot be bundled: ${reason}`],
    });
  });
});
