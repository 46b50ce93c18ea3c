// The modules of Node that guests may require, as a script.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usesOf } from '../../sandbox/guest-bundle.js';
import { MODULES, REQUIRABLE } from '../../sandbox/guest-modules.js';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { MODES, useLab } from './lab/use-lab.ts';

const FOLDER = join(ROOT, 'sandbox/guest/modules');
const { answer, run } = useLab();

describe('the modules of Node', () => {
  it('hold every file of the folder, byte for byte, as strict functions that close over nothing', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(REQUIRABLE.length);
    for (const name of files) {
      const text = readFileSync(join(FOLDER, name), 'utf8');
      expect(MODULES.includes(text), name).toBe(true);
      expect(text, name).toMatch(
        /^(\/\/.*\n)+\(function \w+\(module(, _exports, require)?\) \{\n {2}'use strict';\n/,
      );
    }
  });

  it('name nothing that the author cannot name', () => {
    expect(MODULES).not.toMatch(/\bkit\b|\bbridge\b|\bcallHost\b|import\(/);
  });

  it('are those that the page for reviewers and the one for authors list', () => {
    const listed = REQUIRABLE.toSorted().map((name) => `\`${name}\``);
    expect(readFileSync(join(ROOT, 'sandbox/README.md'), 'utf8')).toContain(`\n${listed.join(' ')}\n`);
    const page = readFileSync(join(ROOT, 'docs/endpoints.md'), 'utf8');
    expect(page).toContain(`knows ${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`);
  });

  it.each(MODES)(
    'are there in the isolation %s, also for code that computes their names',
    async (isolation) => {
      const source = `
      const names = ${JSON.stringify(REQUIRABLE)};
      exports.get = (req, res) => res.json(names.map((name) => typeof require('node:' + name)));`;
      const kinds = (await answer(source, { isolation })) as string[];
      expect(new Set(kinds)).toEqual(new Set(['object', 'function']));
    },
  );

  it('are not compiled for code that requires nothing', async () => {
    expect(usesOf('exports.get = () => {}').require).toBe(false);
    expect(await answer("exports.get = (req, res) => res.json(typeof global['re' + 'quire'])")).toBe(
      'undefined',
    );
  });

  it('give promises to code that does not name them', async () => {
    const source = `
      const { promisify } = require('util');
      exports.get = (req, res) => { promisify((done) => done(null, 7))().then((value) => res.json(value)); };`;
    expect(await answer(source)).toBe(7);
  });

  it('leave the stack to the lines of the author', async () => {
    const { head } = await run("\nexports.get = () => require('path').join(1)");
    expect(head['message']).toContain('must be of type string');
    expect(head['stack']).toBe('at exports.get (endpoint.test.js:2:37)');
  });

  it('fail again where they failed for want of stack', async () => {
    const source = `
      const deep = (left) => { try { return left === 0 ? require('assert') : deep(left - 1); } catch (error) { return error; } };
      const seen = [];
      exports.get = (req, res) => {
        for (let depth = 20000; depth > 0; depth -= 500) seen.push(typeof deep(depth));
        res.json(typeof require('assert').strictEqual);
      };`;
    expect(await answer(source)).toBe('function');
  });

  it('lets a bundle in that looks for the global object', async () => {
    const source = `
      var root = typeof global == 'object' && global && global.Object === Object && global || typeof self == 'object' && self;
      exports.get = (req, res) => res.json(root === globalThis);`;
    expect(await answer(source)).toBe(true);
  });
});
