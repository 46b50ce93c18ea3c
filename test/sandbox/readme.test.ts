// The lists of sandbox/README.md are whole: a real isolate holds what they say, a host is started with what they say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleText } from '../../sandbox/guest-bundle.js';
import { findSetting } from '../../src/config/setting-names.ts';
import { nodeFlags, ulimitOptions } from '../../src/sandbox-supervisor/isolation/host-privileges.ts';
import { bwrapArguments } from '../../src/sandbox-supervisor/isolation/system-tools.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { MODES, useLab } from './lab/use-lab.ts';

const page = readFileSync(join(ROOT, 'sandbox/README.md'), 'utf8');
const { answer, run } = useLab();

/** The rows below a heading, as cells. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const from = page.indexOf(`\n${heading}\n`);
  const text = page.slice(from + 1).split(/\n##+ /)[0] ?? '';
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
const hostValue = (what: string) =>
  rowsOf('## What a host runs with').find(([name]) => name?.startsWith(what))?.[1];
const sorted = (names: readonly string[]) => [...names].sort();

describe('what guest code can reach', () => {
  const [language, ours, handed, module] = rowsOf('### Names').map(([names]) => quoted(names));

  it.each(MODES)('has these globals and no other in the isolation %s', async (isolation) => {
    const found = await answer(
      `module.exports.get = async (req, res) => res.json(Reflect.ownKeys(globalThis).map(String))`,
      { isolation },
    );
    expect(sorted(found as string[])).toEqual(sorted([...(language ?? []), ...(ours ?? [])]));
  });

  it('has no promises where the text names none', async () => {
    const source = `module.exports.get = (req, res) => res.json(Reflect.ownKeys(globalThis).map(String))`;
    const found = (await answer(source)) as string[];
    const missing = (language ?? []).filter((name) => !found.includes(name));
    expect(missing).toEqual(['Promise', 'AsyncDisposableStack']);
  });

  it('has these names for each request and no other', () => {
    const [, outer = '', inner = ''] = /^\(\(([^)]*)\) => function \(([^)]*)\)/.exec(moduleText('')) ?? [];
    expect(outer.split(', ')).toEqual(handed);
    expect(inner.split(', ')).toEqual(module);
  });

  it('has objects with these members and no other', async () => {
    const source = `
      const members = (object) => {
        const keys = [];
        for (let at = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) keys.push(...Reflect.ownKeys(at));
        return keys.map((key) => (typeof key === 'symbol' ? key.description : key));
      };
      module.exports.get = async (req, res) => {
        const fetched = await fetch('https://example.com/');
        res.json({
          req: members(req), res: members(res), console: members(console),
          crypto: members(crypto), 'crypto.subtle': members(crypto.subtle), 'Model(name)': members(Model('books')),
          'answer of fetch': members(fetched), 'headers of that answer': members(fetched.headers),
          "require('bcrypt')": members(require('bcrypt')),
          "require('bcrypt-as-promised')": members(require('bcrypt-as-promised')),
        });
      };`;
    const value = { status: 200, headers: [], body: '', encoding: 'text' };
    const found = (await answer(source, { serve: () => ({ ok: true, value }) })) as Record<string, string[]>;
    const told = Object.fromEntries(
      rowsOf('### Objects').map(([name = '', members]) => [
        name.replaceAll('`', ''),
        sorted(quoted(members)),
      ]),
    );
    const held = Object.entries(found).map(([name, members]) => [name, sorted(members)]);
    expect(Object.fromEntries(held)).toEqual(told);
  });

  it('asks these pure functions of its host and no other', () => {
    const source = readFileSync(join(ROOT, 'sandbox/host-bridge.js'), 'utf8');
    const body = /const FUNCTIONS = \{\n(.*?)\n\};/s.exec(source)?.[1] ?? '';
    const names = [...body.matchAll(/^ {2}'?([\w-]+)'?[(:]/gm)].map(([, name = '']) => name);
    const told = rowsOf('### Host bridge').flatMap(([cell]) => quoted(cell));
    expect(sorted(told)).toEqual(sorted(names));
  });

  it('asks these things of the server and no other', async () => {
    const { calls } = await run(
      `module.exports.get = async (req, res) => {
        const books = Model('books');
        for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(books))) await books[name]({}, {})?.catch?.(() => {});
        await fetch('https://example.com/').catch(() => {});
        const { hash, compare, genSalt } = require('bcrypt');
        for (const run of [() => hash('a'), () => compare('a', 'b'), () => genSalt()]) await run().catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => setImmediate(resolve));
        const timer = await new Promise((resolve) => { const id = setInterval(() => resolve(id), 1); });
        clearInterval(timer);
        res.end();
      };`,
      { serve: ({ name }) => ({ ok: name === 'timer', value: { code: 'NO', message: 'no' } }) },
    );
    const told = rowsOf('### Guest calls').flatMap(([cell]) => quoted(cell));
    expect(sorted([...new Set(calls.map(({ name }) => name))])).toEqual(sorted(told));
  });
});

describe('the list of what a host runs with', () => {
  const memoryMb = Number(findSetting('sandbox.hostMemoryMb')?.leaf.default);

  it('names the flags of Node', () => {
    const readable = ['<binding>', '<sandbox folder>'];
    expect(quoted(hostValue('flags of Node'))).toEqual(nodeFlags({ jit: false, readable }));
    const gone = nodeFlags({ jit: false, readable }).filter(
      (flag) => !nodeFlags({ jit: true, readable }).includes(flag),
    );
    expect(gone).toEqual(['--jitless']);
  });

  it('names the limits of the kernel', () => {
    const told = quoted(hostValue('limits of the kernel')).filter((text) => text.startsWith('-'));
    expect(told).toEqual(ulimitOptions({ jit: false, memoryMb, ownUser: true }));
    expect(ulimitOptions({ jit: true, memoryMb, ownUser: true })).toEqual(told.slice(0, -1));
    const unsaid = told.filter(
      (option) => !ulimitOptions({ jit: false, memoryMb, ownUser: false }).includes(option),
    );
    expect(unsaid).toEqual(['-u 64', '-p 64']);
  });

  it('names the arguments of bubblewrap', () => {
    const told = quoted(hostValue('arguments of bubblewrap')).join(' ').split(' ');
    const built = bwrapArguments({ files: ['<file>'], filter: 4, status: 5 });
    expect(told).toEqual(built.slice(0, -1));
  });

  it('names the permissions that it gives up', () => {
    const source = readFileSync(join(ROOT, 'sandbox/lock.js'), 'utf8');
    const list = /const PERMISSIONS = \[(.*?)\]/.exec(source)?.[1] ?? '';
    expect(quoted(hostValue('permissions given up'))).toEqual(list.replaceAll("'", '').split(', '));
  });
});
