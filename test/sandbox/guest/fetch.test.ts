import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run, answer, thrown } = useLab();

const argsOf = async (code: string) =>
  (await run(`exports.get = (req, res) => { fetch(${code}); res.end(); }`)).calls[0]?.args;
const reply = (value: object) => () => ({
  ok: true,
  value: { status: 200, headers: [], body: '', encoding: 'text', ...value },
});
const read = (code: string, value: object) =>
  answer(`exports.get = async (req, res) => { const r = await fetch('http://a'); res.json(${code}); }`, {
    serve: reply(value),
  });

describe('what fetch sends', () => {
  it.each([
    ["'https://a.b/c?d'", { url: 'https://a.b/c?d' }],
    ["new URL('https://a.b')", { url: 'https://a.b/' }],
    ["'http://a', { method: 'delete' }", { method: 'DELETE' }],
    ["'http://a', { headers: { 'X-A': 1 } }", { headers: [['X-A', '1']] }],
    [
      "'http://a', { headers: [['a', 'b'], ['a', 'c']] }",
      {
        headers: [
          ['a', 'b'],
          ['a', 'c'],
        ],
      },
    ],
    [
      "'http://a', { method: 'POST', body: 'ü' }",
      { method: 'POST', body: 'ü', headers: [['content-type', 'text/plain;charset=UTF-8']] },
    ],
    [
      "'http://a', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }",
      { method: 'POST', body: '{}', headers: [['Content-Type', 'application/json']] },
    ],
    [
      "'http://a', { method: 'PUT', body: new URLSearchParams({ a: '1 2' }) }",
      {
        method: 'PUT',
        body: 'a=1+2',
        headers: [['content-type', 'application/x-www-form-urlencoded;charset=UTF-8']],
      },
    ],
    [
      "'http://a', { method: 'PUT', body: new Uint8Array([255]) }",
      { method: 'PUT', body: '/w==', bodyEncoding: 'base64' },
    ],
  ])('%s', async (code, args) => {
    expect(await argsOf(code)).toEqual({
      url: 'http://a',
      method: 'GET',
      headers: [],
      body: null,
      bodyEncoding: 'text',
      ...args,
    });
  });

  it.each([
    ["'http://a', { body: 'x' }", 'A GET request has no body'],
    ["'http://a', { headers: 'x' }", 'headers must be an object'],
    ["'http://a', { headers: Array(101).fill(['a', 'b']) }", 'at most 100 headers'],
    ["'http://a', { method: 'POST', body: 'x'.repeat(1_100_000) }", 'too large'],
    ['{ toString() { throw new Error("sly"); } }', 'sly'],
  ])('rejects %s', async (code, message) => {
    expect(await thrown(`fetch(${code})`)).toContain(message);
  });
});

describe('what comes back', () => {
  const headers = [
    ['content-type', 'application/json'],
    ['x-two', 'a'],
    ['x-two', 'b'],
  ];

  it('has a status', async () => {
    expect(await read('[r.status, r.ok]', { status: 201 })).toEqual([201, true]);
    expect(await read('[r.status, r.ok]', { status: 404 })).toEqual([404, false]);
  });

  it('has headers', async () => {
    expect(
      await read(
        '[r.headers.get("Content-Type"), r.headers.get("x-two"), r.headers.get("no"), r.headers.has("X-TWO"), [...r.headers], [...r.headers.keys()], [...r.headers.values()]]',
        { headers },
      ),
    ).toEqual([
      ...['application/json', 'a, b', null, true, headers, ['content-type', 'x-two', 'x-two']],
      ['application/json', 'a', 'b'],
    ]);
    expect(
      await read(
        '(() => { const all = []; r.headers.forEach((value, name) => all.push(name + "=" + value)); return all; })()',
        { headers },
      ),
    ).toEqual([...['content-type=application/json', 'x-two=a', 'x-two=b']]);
  });

  it('has a body in every form', async () => {
    const forms =
      '[await r.text(), await r.json(), new Uint8Array(await r.arrayBuffer()).length, (await r.bytes()).length]';
    const body = '{"a":"ü"}';
    expect(await read(forms, { body })).toEqual([body, { a: 'ü' }, 10, 10]);
    const base64 = Buffer.from(body).toString('base64');
    expect(await read(forms, { body: base64, encoding: 'base64' })).toEqual([body, { a: 'ü' }, 10, 10]);
  });

  it('can be passed on as headers of another request', async () => {
    const source = `exports.get = async (req, res) => { const r = await fetch('http://a'); fetch('http://b', { headers: r.headers }); res.end(); }`;
    const { calls } = await run(source, { serve: reply({ headers }) });
    expect(calls[1]?.args['headers']).toEqual(headers);
  });

  it('rejects where there is none, or no JSON', async () => {
    const refuse = () => ({ ok: false, value: { code: 'FETCH_REFUSED', message: 'no' } });
    expect(
      await answer(
        'exports.get = (req, res) => fetch("http://a").catch((e) => res.json([e.code, e.message]))',
        { serve: refuse },
      ),
    ).toEqual([...['FETCH_REFUSED', 'no']]);
    expect(await read('await r.json().catch((e) => e.name)', { body: 'no' })).toBe('SyntaxError');
  });
});
