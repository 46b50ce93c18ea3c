import { describe, expect, it } from 'vitest';
import { inspectWith } from '../../sandbox/inspect.js';
import { useLab } from './lab/use-lab.ts';

const { lab } = useLab();
const inspect = (source: string, options = {}) => lab().inspect(source, options);

describe('code that does not compile', () => {
  it.each([
    ['let a = ;', 1, 9],
    ['\n\n  a b', 3, 5],
    ['const module = 1;', 1, 7],
    ['await 1', 1, 1],
    ['}', 1, 1],
    ['exports.get = () => {};\n})(); evil(); (function () {', 2, 1],
    ['"use strict"; with (a) {}', 1, 15],
    ['#!/bin/sh\n;;a b', 2, 5],
  ])('%j', async (source, line, column) => {
    expect(await inspect(source)).toMatchObject({ ok: false, code: 'ENDPOINT_SYNTAX', line, column });
  });

  it.each([
    'import a from "a"',
    'export default {}',
    'export const get = () => {}',
    'const a = import.meta.url',
  ])('as it is an ES module: %s', async (source) => {
    expect(await inspect(source)).toMatchObject({
      code: 'ENDPOINT_SYNTAX',
      message: expect.stringContaining('CommonJS'),
    });
  });

  it.each(['`', '/*', '"', '(', '/* */ */', '<!--\n-->\n}', '})', '\u2028}', '//\u2028}', '/}/}', '{'])(
    'however it is put: %j',
    async (source) => {
      expect(await inspect(`exports.get = () => {};\n${source}`)).toMatchObject({
        ok: false,
        code: 'ENDPOINT_SYNTAX',
      });
    },
  );
});

describe('code that cannot be loaded', () => {
  it('says what it threw, and where', async () => {
    expect(await inspect('\n  throw new Error("boo");')).toEqual({
      ok: false,
      code: 'ENDPOINT_LOAD',
      message: 'boo',
      line: 2,
      column: 9,
    });
    expect(await inspect('throw { get message() { throw 1; } }')).toMatchObject({
      code: 'ENDPOINT_LOAD',
      line: null,
    });
    expect(await inspect("require('fs')")).toMatchObject({
      message: expect.stringContaining("'fs'"),
      line: 1,
    });
  });

  it('has no handler', async () => {
    for (const source of [
      '',
      '1',
      'exports.get = 5',
      'module.exports = null',
      'module.exports = undefined',
    ]) {
      expect(await inspect(source)).toMatchObject({
        code: 'ENDPOINT_LOAD',
        message: expect.stringContaining('has no handler'),
      });
    }
  });

  it('takes too long', async () => {
    for (const source of [
      'for (;;);',
      'exports.get = () => {}; Promise.resolve().then(() => { for (;;); });',
      'throw { get message() { for (;;); } }',
      'exports.get = () => {}; exports.config = () => { for (;;); };',
    ]) {
      expect(await inspect(source, { loadMs: 50 })).toMatchObject({
        code: 'ENDPOINT_LOAD',
        message: 'Loading takes more than 50 ms',
      });
    }
  });

  it('needs too much memory', async () => {
    const source = 'const all = []; for (;;) all.push(new Array(10_000).fill(1));';
    expect(await inspect(source, { loadMs: 10_000, heapMb: 16 })).toMatchObject({
      code: 'ENDPOINT_LOAD',
      message: 'Loading needs more than 16 MB of memory',
    });
  });
});

describe('code that is fine', () => {
  it('may use everything while it is loaded, though nothing answers', async () => {
    const source = `
      const { Model } = require('@dadi/api'); Model('a').find(); fetch('http://a'); setTimeout(() => {}, 1); console.log('x');
      Promise.reject(new Error('nobody cares')); new URL('http://a'); crypto.randomUUID(); exports.get = () => {};`;
    expect(await inspect(source)).toMatchObject({
      ok: true,
      methods: ['GET'],
      warnings: [],
      isolation: null,
    });
  });

  it('is told where it would only load in a context of its own', async () => {
    const source =
      '"use strict"; Array.prototype.last = function () { return this.at(-1); }; exports.get = () => {};';
    expect(await inspect(source)).toMatchObject({
      ok: true,
      isolation: 'context',
      warnings: [expect.stringContaining('not extensible')],
    });
  });
});

describe('code whose time runs out', () => {
  /** Which isolations are tried, with so many milliseconds of the processor each time. */
  function triedWith(cpuMs: number) {
    const tried: string[] = [];
    let used = 0;
    const enter = () => {
      used += cpuMs;
      throw new Error('Script execution timed out.');
    };
    const inspection = inspectWith(
      ({ isolation }) => {
        tried.push(isolation);
        const room = { enter, release: () => undefined };
        return {
          open: () => room,
          memory: () => ({ used: 0, held: 0 }),
          isDisposed: () => false,
          dispose: () => undefined,
        };
      },
      'for (;;);',
      { kind: 'endpoint', loadMs: 300, heapMb: 64, cpu: () => used },
    );
    return { tried, inspection };
  }

  it('is refused', () => {
    const { tried, inspection } = triedWith(150);
    expect(inspection).toMatchObject({ ok: false, message: 'Loading takes more than 300 ms' });
    expect(tried).toEqual(['realm', 'context']);
  });

  it('is given one more chance where the machine did not let it run', () => {
    expect(triedWith(149).tried).toEqual(['realm', 'realm', 'context', 'context']);
  });
});
