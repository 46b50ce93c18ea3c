import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run, answer } = useLab();

/** Runs the body of a handler that has `res`. */
const handled = (code: string, options = {}) =>
  run(`module.exports.get = (req, res) => { ${code} }`, options);
const JSON_TYPE = [['Content-Type', 'application/json; charset=utf-8']];

describe('endings', () => {
  it.each([
    ['res.end("text")', 200, [], 'text'],
    ['res.end()', 200, [], ''],
    ['res.end(5)', 200, [], '5'],
    ['res.write("a"); res.write("b"); res.end("c")', 200, [], 'abc'],
    ['res.json({ a: 1 })', 200, JSON_TYPE, '{"a":1}'],
    ['res.json(undefined)', 200, JSON_TYPE, ''],
    ['res.json(null)', 200, JSON_TYPE, 'null'],
    ['res.status(404).json([1])', 404, JSON_TYPE, '[1]'],
    ['res.send("hi")', 200, [['Content-Type', 'text/html; charset=utf-8']], 'hi'],
    ['res.send({ a: 1 })', 200, JSON_TYPE, '{"a":1}'],
    ['res.send(true)', 200, JSON_TYPE, 'true'],
    ['res.send()', 200, [], ''],
    ['res.type("txt").send("hi")', 200, [['Content-Type', 'text/plain; charset=utf-8']], 'hi'],
    ['res.redirect("/a")', 302, [['Location', '/a']], ''],
    ['res.redirect(301, "/ü b")', 301, [['Location', '/%C3%BC%20b']], ''],
    ['res.statusCode = 204; res.end("dropped")', 204, [], ''],
    ['res.status(304).end("dropped")', 304, [], ''],
    ['res.writeHead(201, { "x-a": "1" }); res.end()', 201, [['x-a', '1']], ''],
    ['res.writeHead(201, "Created", { "x-a": "1" }).end()', 201, [['x-a', '1']], ''],
    ['res.statusMessage = "Nope"; res.end(res.statusMessage)', 200, [], ''],
    ['res.end("first"); res.end("second"); res.write("third"); res.json({})', 200, [], 'first'],
    ['res.statusCode = "201"; res.end()', 201, [], ''],
  ])('%s', async (code, status, headers, body) => {
    const { kind, ...response } = await handled(code);
    expect([kind, response.status, response.headers, response.body, response.encoding]).toEqual([
      ...['end', status, headers, body, 'text'],
    ]);
  });

  it('changes nothing after the end', async () => {
    const { status, headers, logs } = await handled(
      'res.end(); res.statusCode = 500; res.setHeader("x-late", "1"); res.removeHeader("x"); console.log(res.headersSent, res.finished, res.writableEnded, res.statusCode)',
    );
    expect([status, headers, logs[0]?.['message']]).toEqual([200, [], 'true true true 200']);
  });
});

describe('bytes', () => {
  const bytes = 'new Uint8Array([0, 255, 128])';

  it.each([
    [`res.end(${bytes})`, 'AP+A', []],
    [`res.send(${bytes})`, 'AP+A', [['Content-Type', 'application/octet-stream']]],
    [`res.end(${bytes}.buffer)`, 'AP+A', []],
    [`res.end(new DataView(${bytes}.buffer, 1, 1))`, '/w==', []],
    [`res.end(new Uint16Array([1]))`, 'AQA=', []],
    [`res.write("ü"); res.write(${bytes}); res.end("x")`, 'w7wA/4B4', []],
    [`const b = ${bytes}; res.write(b); b[0] = 9; res.end()`, 'AP+A', []],
  ])('%s', async (code, body, headers) => {
    const response = await handled(code);
    expect([response.encoding, response.body, response.headers]).toEqual(['base64', body, headers]);
  });
});

describe('limits', () => {
  const options = { responseBytes: 100 };

  it.each([
    ['res.end("x".repeat(101))'],
    ['res.end("ü".repeat(51))'],
    ['res.write("x".repeat(60)); res.end("x".repeat(41))'],
    ['res.json("x".repeat(99))'],
    ['res.end(new Uint8Array(101))'],
    ['res.write("x"); res.end(new Uint8Array(100))'],
    ['res.write(new Uint8Array(99)); res.end("ü")'],
    ['for (;;) res.write("xxxxxxxxxx")'],
  ])('refuses %s', async (code) => {
    const { kind, head } = await handled(code, options);
    expect([kind, head['tooLarge'], head['message']]).toEqual([
      ...['error', true, 'The body of an answer has at most 100 bytes'],
    ]);
  });

  it.each([['"x".repeat(100)'], ['"ü".repeat(50)'], ['"€".repeat(33) + "x"'], ['new Uint8Array(100)']])(
    'lets %s through',
    async (code) => {
      expect((await handled(`res.end(${code})`, options)).kind).toBe('end');
    },
  );

  it('lets an author catch the error and answer something shorter', async () => {
    const code = 'try { res.write("x".repeat(200)); } catch (error) { res.status(500).end(error.name); }';
    expect(await handled(code, options)).toMatchObject({ kind: 'end', status: 500, body: 'RangeError' });
  });

  it('counts many small writes in linear time', async () => {
    const code = 'for (let i = 0; i < 99_000; i += 1) res.write("xxxxxxxxxx"); res.end()';
    const { kind, body } = await handled(code, { responseBytes: 1_000_000 });
    expect([kind, body.length]).toEqual(['end', 990_000]);
  });

  it.each(['99', '600', '200.5', 'NaN', '"x"', '{}', 'Infinity', '-200'])(
    'refuses the status %s',
    async (status) => {
      const { kind, head } = await handled(`res.statusCode = ${status}; res.end()`);
      expect([kind, head['message']]).toEqual(['error', 'A status is a whole number from 200 to 599']);
    },
  );
});

describe('the object itself', () => {
  it('gives no way to what is behind it', async () => {
    expect(
      await answer(`module.exports.get = (req, res) => res.json([
        res.constructor === undefined, Object.getPrototypeOf(Object.getPrototypeOf(res)), Reflect.ownKeys(res), typeof res.toString,
      ])`),
    ).toEqual([true, null, [], 'undefined']);
  });

  it('refuses to work on another object', async () => {
    const { head } = await handled('res.end.call({}, "x")');
    expect(head['message']).toContain('private');
  });

  it('can be given members of its own, also over its methods', async () => {
    const code =
      'res.locals = { a: 1 }; const { end } = res; res.end = function (text) { end.call(res, "wrapped " + text); }; res.end("x")';
    expect((await handled(code)).body).toBe('wrapped x');
  });
});
