// `cloister bundle`: one file of an endpoint or hook and the packages beside it, or the file and line of what keeps it from that.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../src/cli/bundle.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { spawnCommand } from '../helpers/server-process/server-process.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { bundled, load, SLUG } from '../migration/bundled-files.ts';
import { layFiles, packageFiles } from '../migration/site-files.ts';

describe('cloister bundle', () => {
  it('makes one text of a hook, its files and its packages', async () => {
    const { code, text, complained } = await bundled(SLUG, 'hooks/slug.js');
    expect({ code, complained }).toEqual({ code: 0, complained: [] });
    const hook = load(text) as (obj: object) => object;
    expect(hook({ title: 'The Lighthouse' })).toEqual({
      title: 'The Lighthouse',
      slug: 'books/the-lighthouse',
    });
  });

  it('gives the same text in another folder, and names its sources without one', async () => {
    const first = await bundled(SLUG, 'hooks/slug.js');
    const second = await bundled(SLUG, 'hooks/slug.js');
    expect(first.cwd).not.toBe(second.cwd);
    expect(first.text).toBe(second.text);
    expect(first.text.split('\n').slice(0, 3)).toEqual([
      '// Bundled by Cloister: edit the sources, not this text.',
      '// Sources: slug.js, lib/join.js',
      '// Package: to-slug 2.1.0',
    ]);
    expect(first.text).not.toContain(first.cwd);
  });

  it('writes the text into the file of --out', async () => {
    const { text, cwd } = await bundled(SLUG, 'hooks/slug.js');
    expect(await bundle({ path: 'hooks/slug.js', out: 'made.js' }, captureIo(cwd))).toBe(0);
    expect(readFileSync(join(cwd, 'made.js'), 'utf8')).toBe(text);
  });

  it('leaves the older server and the modules that posted code has as they are required', async () => {
    const code =
      "const { Model } = require('@dadi/api'); const url = require('node:url');\nexports.get = () => [Model, url, require('util')];\n";
    const { text } = await bundled({ 'a.js': code, 'b.js': '', ...packageFiles('url', 'throw 1') }, 'a.js');
    const { get } = load(text, { '@dadi/api': { Model: 1 }, 'node:url': 2, util: 3 }) as { get(): unknown };
    expect(get()).toEqual([1, 2, 3]);
  });

  it('names file and line of everything that reaches the machine, and what to use instead', async () => {
    const files = {
      'a.js': "const x = 1;\nconst fs = require('fs');\nrequire('mailer');\n",
      ...packageFiles(
        'mailer',
        "// The transport.\nconst net = require('net'), crypto = require('node:crypto');\n",
      ),
      'node_modules/mailer/more.js': '',
    };
    const { code, text, complained } = await bundled(files, 'a.js');
    expect({ code, text }).toEqual({ code: 1, text: '' });
    expect(complained).toEqual([
      'a.js:2: `fs` reaches the machine: keep the data in a collection, through `Model`, or in the code',
      'node_modules/mailer/index.js:2: `net` reaches the machine: use `fetch`, with a grant for the address in the policy',
      'node_modules/mailer/index.js:2: `node:crypto` reaches the machine: use the global `crypto`: `randomUUID()`, `getRandomValues()`, `subtle.digest()`',
    ]);
  });

  it.each(['child_process', 'worker_threads', 'os', 'vm', 'node:sqlite', 'module', 'process'])(
    'has no %s to bundle',
    async (name) => {
      const { code, complained } = await bundled({ 'a.js': `require('${name}')` }, 'a.js');
      expect(code).toBe(1);
      expect(complained).toEqual([expect.stringContaining(`a.js:1: \`${name}\` reaches the machine: `)]);
    },
  );

  it('names imports that are not there, and syntax that cannot be read', async () => {
    const files = {
      'a.js': "require('./gone');\nrequire('absent');\nrequire('./broken');",
      'broken.js': 'const a = 1;\nconst = ;',
    };
    const { code, complained } = await bundled(files, 'a.js');
    expect(code).toBe(1);
    expect(complained).toEqual([
      'a.js:1: `./gone` is not there',
      'a.js:2: `absent` is not installed beside it: run `npm install` in its folder',
      'broken.js:2: Unexpected token',
    ]);
  });

  it('lets code go on without what it requires in a try', async () => {
    const code = "let fast;\ntry { fast = require('fs') } catch { fast = 'slow' }\nmodule.exports = fast;";
    const { code: exit, text } = await bundled({ 'a.js': code }, 'a.js');
    expect(exit).toBe(0);
    expect(load(text)).toBe('slow');
  });

  it("knows a require of the code's own from the one that loads files", async () => {
    const packed =
      '(function (require) { module.exports = require("fs"); })(function (name) { return "own " + name; });';
    const { code, text } = await bundled({ 'a.js': packed }, 'a.js');
    expect(code).toBe(0);
    expect(load(text)).toBe('own fs');
  });

  it('warns of a name that is computed', async () => {
    const { code, complained } = await bundled(
      { 'a.js': 'exports.get = (req) =>\n  require(req.query.name);' },
      'a.js',
    );
    expect(code).toBe(0);
    expect(complained).toEqual([
      'warning: a.js:2: a name that is computed cannot be bundled: requiring it fails',
    ]);
  });

  it('runs none of the code', async () => {
    const { cwd } = await bundled({}, 'none.js');
    const mark = join(cwd, 'ran');
    const attack = `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    const files = {
      'a.js': "module.exports = require('evil');",
      ...packageFiles('evil', `try { ${attack} } catch {}`),
      'node_modules/evil/rolldown.config.js': attack,
      'rolldown.config.js': attack,
      'tsconfig.json': '{',
    };
    expect((await bundled(files, 'a.js', cwd)).code).toBe(0);
    expect(existsSync(mark)).toBe(false);
  });

  it('refuses what an upload would refuse: too much text', async () => {
    const half = `module.exports = "${'x'.repeat(600_000)}";`;
    const files = {
      'a.js': "module.exports = [require('./b'), require('./c')];",
      'b.js': half,
      'c.js': half,
    };
    const { code, complained } = await bundled(files, 'a.js');
    expect(code).toBe(1);
    expect(complained).toEqual([
      'a.js:1: the bundle has more than 1048576 bytes: an upload would be refused',
    ]);
  });

  it('ends with one line where there is no such file', async () => {
    const { code, complained } = await bundled({}, 'gone.js');
    expect(code).toBe(1);
    expect(complained).toEqual(['cloister: bundle: gone.js: there is no such file']);
  });

  it('cannot be fooled by names of files and packages', async () => {
    const name = 'a\nprocess.exit(); //\u202e';
    const files = {
      [`${name}.js`]: "module.exports = require('p');",
      'node_modules/p/package.json': { name: 'x\n*/ evil()', version: '1\u2028evil()' },
      'node_modules/p/index.js': 'module.exports = 1;',
    };
    const { code, text } = await bundled(files, `${name}.js`);
    expect(code).toBe(0);
    expect(text.split(/[\n\u2028]/).filter((line) => /^\s*(process|evil|\*)/.test(line))).toEqual([]);
    expect(load(text)).toBe(1);
  });

  it('says in one line what to install where there is no bundler', async () => {
    const cwd = layFiles(await temporaryFolder(), {
      ...SLUG,
      'without.mjs': `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name === 'rolldown') throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
  return next(name, context);
} });`,
    });
    const env = { NODE_OPTIONS: `--import=${join(cwd, 'without.mjs')}` };
    const { code, said } = await spawnCommand(['bundle', 'hooks/slug.js'], { cwd, env }).ended;
    expect({ code, said }).toEqual({
      code: 1,
      said: 'cloister: bundle: hooks/slug.js: the bundler is not installed: run `npm install rolldown@1` beside cloister\n',
    });
  });
});
