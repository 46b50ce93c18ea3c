import { describe, expect, it } from 'vitest';
import { headOf } from '../lab/lab.ts';
import { MODES, useLab } from '../lab/use-lab.ts';

const { lab, run, answer } = useLab();

describe('a request', () => {
  it('has what the server says of it, and nothing else', async () => {
    const request = {
      method: 'PUT',
      url: '/1.0/a/b?x=1&x=2',
      path: '/1.0/a/b',
      params: { id: 'b' },
      query: { x: ['1', '2'] },
      headers: { accept: 'text/html' },
      client: { id: 'i', clientId: 'c', accessType: 'admin' },
      ip: '::1',
    };
    const seen = await answer('module.exports.put = (req, res) => res.json(req)', {
      request: { ...request, bodyType: 'text' },
      body: 'the body',
    });
    expect(seen).toEqual({ ...request, body: 'the body' });
  });

  it.each(['get', 'post', 'put', 'patch', 'delete', 'options', 'head'])(
    'reaches the handler %s',
    async (name) => {
      const source = `for (const name of ['get', 'post', 'put', 'patch', 'delete', 'options', 'head']) {
      module.exports[name] = (req, res) => res.end(name);
    }`;
      expect((await run(source, { request: { method: name.toUpperCase() } })).body).toBe(name);
    },
  );

  it('for HEAD runs get where there is no head', async () => {
    const source = 'exports.get = (req, res) => res.end(req.method)';
    expect((await run(source, { request: { method: 'HEAD' } })).body).toBe('HEAD');
  });

  it.each(['POST', 'CONSTRUCTOR', '__proto__', 'toString'])(
    'without a handler for %s is an error',
    async (method) => {
      const { kind, head } = await run('exports.get = () => {}', { request: { method } });
      expect([kind, head['message']]).toEqual(['error', `module.exports has no handler for ${method}`]);
    },
  );

  it('calls its handler with no `this`', async () => {
    expect(
      await answer('"use strict"; exports.get = function (req, res) { res.json(this === undefined); }'),
    ).toBe(true);
  });
});

describe('the module', () => {
  it.each(MODES)('is evaluated anew for each request (%s)', async (isolation) => {
    const guest = await lab().guest(
      `let count = 0; const seen = []; var loose = typeof loose; function f() {}
       exports.get = (req, res) => { count += 1; seen.push(1); f.count = (f.count ?? 0) + 1; res.json([count, seen.length, f.count, loose]); }`,
      { isolation },
    );
    for (let number = 1; number <= 3; number += 1) {
      expect((await guest.start(number, headOf())).events[0]?.[3]).toBe('[1,1,1,"undefined"]');
    }
  });

  it('may declare the names that it is given once more', async () => {
    const source = `
      const { Model } = require('@dadi/api'); const console = 1; let crypto = 2; var fetch = 3; function setTimeout() {} const Math = 4;
      exports.get = (req, res) => res.json([typeof Model, console, crypto, fetch, typeof setTimeout, Math]);`;
    expect(await answer(source)).toEqual(['function', 1, 2, 3, 'function', 4]);
  });

  it('finds names written with escapes', async () => {
    expect(await answer('exports.get = (req, res) => res.json(typeof M\\u0061th.random)')).toBe('function');
  });

  it('is CommonJS: this, exports and module.exports are one', async () => {
    expect(
      await answer('this.get = (req, res) => res.json([exports === module.exports, arguments.length])'),
    ).toEqual([true, 3]);
  });

  it('may be loose, with a `#!` line, and end in a comment', async () => {
    expect(await answer('#!/usr/bin/env node\nexports.get = (req, res) => res.json(1) // the end')).toBe(1);
    expect(await answer('var a = 010; with ({ b: 2 }) { a += b }; exports.get = (q, r) => r.json(a)')).toBe(
      10,
    );
  });

  it('that throws when it is evaluated is an error of each request', async () => {
    const { kind, head } = await run('\n\nnull.x');
    expect(kind).toBe('error');
    expect(head['stack']).toBe('at Object.<anonymous> (endpoint.test.js:3:6)');
  });

  it('of which a text alone does not compile is refused', async () => {
    for (const source of ['}; evil(); {', '})();(() => function () {', 'let a = ;', '/*', '`']) {
      await expect(lab().guest(source)).rejects.toThrow('SyntaxError');
    }
  });
});

describe('require', () => {
  it('knows one name, where collections are granted', async () => {
    expect(await answer("exports.get = (req, res) => res.json(Object.keys(require('@dadi/api')))")).toEqual([
      'Model',
      'Config',
    ]);
    const without = await run("exports.get = (req, res) => res.json(require('@dadi/api'))", { model: false });
    expect(without.head['message']).toContain('no collection is granted');
  });

  it.each([
    ['fs', 'through `Model`'],
    ['node:fs', 'through `Model`'],
    ['https', '`fetch`'],
    ['request-promise', '`fetch`'],
    ['child_process', 'sandbox'],
    ['mongodb', '`Model`'],
    ['crypto', '`randomUUID()`'],
    ['uuid', '`randomUUID()`'],
    ['lodash', 'bundler'],
    ['./x', 'one file'],
    ['', 'bundler'],
    ['constructor', 'bundler'],
    ['errors', 'bundler'],
    ['./errors', 'one file'],
  ])('refuses %s by name, and tells what there is instead', async (name, instead) => {
    const { head } = await run(`exports.get = () => require('${name}')`);
    expect(head['message']).toMatch(`Cannot find module '${name}': `);
    expect(head['message']).toContain(instead);
  });

  it('answers the same module to one request, and a new one to the next', async () => {
    const guest = await lab().guest(`
      const util = require('util');
      exports.get = (req, res) => { const before = util.mark; util.mark = 1; res.json([before ?? null, require('node:util') === util]); };`);
    expect((await guest.start(1)).events[0]?.[3]).toBe('[null,true]');
    expect((await guest.start(2)).events[0]?.[3]).toBe('[null,true]');
  });

  it('has global and self for globalThis', async () => {
    expect(
      await answer('exports.get = (req, res) => res.json([global === globalThis, self === globalThis])'),
    ).toEqual([true, true]);
  });
});

describe('next', () => {
  it.each([
    ['next()', {}],
    ['next(null)', {}],
    ['next(new Error("no"))', { message: 'no' }],
    ['next(Object.assign(new Error("no"), { statusCode: 418 }))', { message: 'no', statusCode: 418 }],
    ['next({ message: "plain", statusCode: 599 })', { message: 'plain', statusCode: 599 }],
    ['next("text")', { message: 'text' }],
    ['next({ message: "a", statusCode: 399 })', { message: 'a' }],
    ['next({ message: "a", statusCode: 600 })', { message: 'a' }],
    ['next({ message: "a", statusCode: 404.5 })', { message: 'a' }],
    ['next({ message: "a", statusCode: "404" })', { message: 'a' }],
    ['next({ message: "a", get statusCode() { throw 1; } })', { message: 'a' }],
    ['next(); res.end("late")', {}],
  ])('%s', async (code, head) => {
    expect(await run(`exports.get = (req, res, next) => { ${code}; }`)).toMatchObject({ kind: 'next', head });
  });
});

describe('next with a list of errors', () => {
  const passed = async (error: string) => {
    const { head, body } = await run(`exports.get = (req, res, next) => next(${error})`);
    return { statusCode: head['statusCode'], errors: body === '' ? null : JSON.parse(body) };
  };

  it('passes on what a failed call of Model tells, with its status', async () => {
    const errors = [{ field: 'title', message: 'must be specified', code: 'ERROR_REQUIRED', index: 2 }];
    const source =
      'exports.post = (req, res, next) => { Model("a").create({}).then(() => res.end(), next); }';
    const { kind, head, body } = await run(source, {
      request: { method: 'POST' },
      serve: () => ({
        ok: false,
        value: { code: 'DOCUMENT_INVALID', message: 'm', errors, statusCode: 400 },
      }),
    });
    expect([kind, head]).toEqual(['next', { message: 'm', statusCode: 400 }]);
    expect(JSON.parse(body)).toEqual(errors);
  });

  it('is told with a status only', async () => {
    expect(await passed('{ message: "m", errors: [{ field: "a", message: "b" }] }')).toEqual({
      statusCode: undefined,
      errors: null,
    });
  });
});

describe('an async handler', () => {
  it('may answer at any time', async () => {
    expect(
      await answer(
        'exports.get = async (req, res) => { await null; await new Promise((go) => setTimeout(go, 5)); res.json(1); }',
      ),
    ).toBe(1);
  });

  it('that rejects is an error', async () => {
    const { kind, head } = await run('exports.get = async () => { await null; throw new Error("later"); }');
    expect([kind, head['message']]).toEqual(['error', 'later']);
  });

  it('that rejects after its answer leaves the answer alone, and a line in the log', async () => {
    const { kind, logs } = await run(
      'exports.get = async (req, res) => { res.end("ok"); throw new Error("after"); }',
    );
    expect([kind, logs[0]?.['message']]).toEqual(['end', 'after']);
  });

  it('may be any thenable in a module that names promises', async () => {
    const { head } = await run(
      '/* no Promise of ours */ exports.get = () => ({ then(ok, failed) { failed(new Error("thenable")); } })',
    );
    expect(head['message']).toBe('thenable');
  });

  it('is not waited for in a synchronous module, whose thenables are values', async () => {
    const source = 'exports.get = (req, res) => ({ then() { res.end("late"); } })';
    expect((await run(source)).kind).toBe('silent');
  });

  it('that returns what is no promise is nothing special', async () => {
    expect((await run('exports.get = (req, res) => res.json(1)')).kind).toBe('end');
    expect(
      (
        await run(
          'exports.get = (req, res) => { res.end(); return { get then() { throw new Error("sly"); } }; }',
        )
      ).kind,
    ).toBe('end');
  });
});
