import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_BODY, parseEndpointBody } from '../../../src/http/modules/endpoint-call-route.ts';
import { sendRaw, statusBeforeBody } from '../../helpers/server-process/client.ts';
import { headOf, liveEndpoint } from '../../modules/module-versions.ts';
import { startEndpointApp } from './endpoint-app.ts';

const REPORT = '/1.0/report';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const ROOM = { heapMb: 64, jsonValues: 100_000 };

describe('guestBody', () => {
  it('hands on text as it came', async () => {
    expect(await parseEndpointBody('json', Buffer.from(' {"__proto__": 1}'), ROOM)).toEqual({
      type: 'json',
      text: ' {"__proto__": 1}',
    });
    expect(await parseEndpointBody('form', Buffer.from('a=%zz&a=1'), ROOM)).toEqual({
      type: 'form',
      text: 'a=%zz&a=1',
    });
    expect(await parseEndpointBody('text', Buffer.from('\u0000ü'), ROOM)).toEqual({
      type: 'text',
      text: '\u0000ü',
    });
  });

  it.each(['json', 'form', 'text'] as const)('takes an empty %s for none', async (type) => {
    expect(await parseEndpointBody(type, Buffer.alloc(0), ROOM)).toBe(NO_BODY);
  });

  it.each(['{', '{"a":1}}', 'undefined', ' ', '\ufeff{}'])('refuses %j as JSON', async (text) => {
    await expect(parseEndpointBody('json', Buffer.from(text), ROOM)).rejects.toThrow(
      'The body is not valid JSON',
    );
  });

  it('bounds the depth of JSON, whatever its length', async () => {
    expect((await parseEndpointBody('json', Buffer.from(nested(100)), ROOM)).text).toHaveLength(200);
    for (const levels of [101, 100_000]) {
      const read = parseEndpointBody('json', Buffer.from(nested(levels)), ROOM);
      await expect(read).rejects.toThrow('nested deeper than 100 levels');
    }
    expect((await parseEndpointBody('text', Buffer.from(nested(101)), ROOM)).text).toHaveLength(202);
  });

  it('counts nothing that stands in texts of JSON, however many brackets are in it', async () => {
    const text = `["${'['.repeat(300)}"]`;
    expect((await parseEndpointBody('json', Buffer.from(text), ROOM)).text).toBe(text);
    const flat = `[${Array(200).fill('{}')}]`;
    expect((await parseEndpointBody('json', Buffer.from(flat), ROOM)).text).toBe(flat);
  });

  it.each(['json', 'form', 'text'] as const)('refuses a %s that is not UTF-8', async (type) => {
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    await expect(parseEndpointBody(type, bytes, ROOM)).rejects.toThrow('not valid UTF-8');
  });
});

describe('a body that is many times larger in memory', () => {
  it.each([
    ['json', `[${'[],'.repeat(700_000)}0]`],
    ['json', `{${'"a":0,'.repeat(500_000)}"b":0}`],
    ['form', 'a&'.repeat(10_000)],
  ] as const)('is refused as %s', async (type, text) => {
    await expect(parseEndpointBody(type, Buffer.from(text), ROOM)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect((await parseEndpointBody('text', Buffer.from(text), ROOM)).text).toHaveLength(text.length);
  });

  it('is refused where one element of its list, or what is no list, has more values than may be parsed at once', async () => {
    const numbers = (count: number) => `[${Array(count).fill(0)}]`;
    const ask = (text: string) =>
      parseEndpointBody('json', Buffer.from(text), { heapMb: 64, jsonValues: 1000 });
    const refused = { code: 'PAYLOAD_TOO_LARGE' };
    expect((await ask(numbers(100_000))).type).toBe('json');
    await expect(ask(`[${numbers(1001)},1]`)).rejects.toMatchObject(refused);
    await expect(ask(`{"a":${numbers(1001)}}`)).rejects.toMatchObject(refused);
    await expect(ask(`${numbers(100_000)}]`)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('the body of a call', () => {
  const app = startEndpointApp({
    endpoints: [
      liveEndpoint('report', { methods: ['POST', 'PUT', 'PATCH', 'DELETE'] }),
      liveEndpoint('wide', {}, { maxBodyBytes: 100_000 }),
      liveEndpoint('closed', { authenticate: true }),
    ],
    config: { 'limits.jsonBytes': 2000 },
  });
  let url: string;
  beforeAll(async () => {
    url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.server.close());

  const post = (body: string | Buffer, type?: string, path = REPORT) =>
    app.ask('POST', path, { body, ...(type === undefined ? {} : { type }) });
  const last = () => app.jobs.at(-1);

  it.each([
    ['application/json', '{"a":1}', 'json'],
    ['application/json; charset=utf-8', '[]', 'json'],
    ['Application/JSON', 'null', 'json'],
    ['application/x-www-form-urlencoded', 'a=1&a=2', 'form'],
    ['text/plain', 'text', 'text'],
    ['text/csv; header=present', 'a,b', 'text'],
  ])('comes as %s', async (type, body, as) => {
    expect((await post(body, type)).status).toBe(200);
    expect([headOf(last()).bodyType, last()?.body]).toEqual([as, body]);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('comes with %s too', async (method) => {
    expect((await app.ask(method, REPORT, { body: '[1]', type: 'application/json' })).status).toBe(200);
    expect([headOf(last()).method, last()?.body]).toEqual([method, '[1]']);
  });

  it('may be absent', async () => {
    for (const asked of [{}, { type: 'application/json', body: '' }]) {
      expect((await app.ask('POST', REPORT, asked)).status).toBe(200);
      expect([headOf(last()).bodyType, last()?.body]).toEqual(['none', '']);
    }
  });

  it.each([
    ['application/xml', '<a/>'],
    ['multipart/form-data; boundary=a', '--a--'],
    ['application/octet-stream', 'x'],
    [undefined, 'x'],
    ['text/plain; charset=latin1', 'x'],
    ['nonsense', 'x'],
  ])('of type %s is 415', async (type, body) => {
    const before = app.jobs.length;
    const answer = await post(body, type);
    expect([answer.status, answer.body.success]).toEqual([415, false]);
    expect(app.jobs).toHaveLength(before);
  });

  it('may not be compressed', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const { status } = await app.ask('POST', REPORT, { body: 'x', type: 'text/plain', headers });
    expect(status).toBe(415);
  });

  it('that is broken JSON is 400 before the code runs', async () => {
    const before = app.jobs.length;
    expect((await post('{"a":', 'application/json')).status).toBe(400);
    expect(app.jobs).toHaveLength(before);
  });

  it('is bounded by the policy, and by the server', async () => {
    const ask = async (path: string, length: number) =>
      (await post('x'.repeat(length), 'text/plain', path)).status;
    expect(await ask(REPORT, 1000)).toBe(200);
    expect(await ask(REPORT, 1001)).toBe(413);
    expect(await ask('/1.0/wide', 2000)).toBe(200);
    expect(await ask('/1.0/wide', 2001)).toBe(413);
  });

  it('is not read where the caller may not call', async () => {
    expect((await post('x'.repeat(5000), 'application/xml', '/1.0/closed')).status).toBe(401);
  });

  it('that is announced too large is refused before it has come', async () => {
    const headers = { 'content-type': 'text/plain', 'content-length': '1000000' };
    expect(await statusBeforeBody(url + REPORT, headers)).toBe(413);
  });

  it('is counted as it comes when its length is not announced', async () => {
    const head = `POST ${REPORT} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
    const chunk = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
    const send = (length: number) =>
      sendRaw(url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk(600)}${chunk(length)}0\r\n\r\n`);
    expect(await send(400)).toMatch(/^HTTP\/1.1 200 /);
    expect(last()?.body).toHaveLength(1000);
    expect(await send(401)).toMatch(/^HTTP\/1.1 413 .*"statusCode":413/s);
  });
});
