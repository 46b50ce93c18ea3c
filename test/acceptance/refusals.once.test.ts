// What refusals of the HTTP layer say: what was sent and what to send, and, to those who may know, which part of a path is wrong.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const BOOKS = '/1.0/library/books';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

describe('a body of a type that is not taken', () => {
  const send = (path: string, type: string | undefined, body = '{}') =>
    app.inject('POST', path, { body, headers: { 'content-type': type ?? '' } });
  const json = 'send `Content-Type: application/json`';

  it.each([
    [BOOKS, 'text/html; charset=utf-8', `\`text/html\` was sent, ${json}`],
    [BOOKS, 'application/x-www-form-urlencoded', `\`application/x-www-form-urlencoded\` was sent, ${json}`],
    [BOOKS, '<script>', `what is no media type was sent, ${json}`],
    [`${BOOKS}/config`, 'text/html', `\`text/html\` was sent, ${json}`],
    ['/api/clients', 'text/plain', `\`text/plain\` was sent, ${json}`],
    ['/token', 'text/xml', `\`text/xml\` was sent, ${json}`],
    [
      '/1.0/report/config',
      'application/json',
      '`application/json` was sent, send `Content-Type: text/plain`',
    ],
    ['/1.0/report/config', 'text/html', '`text/html` was sent, send `Content-Type: text/plain`'],
  ])('at %s is named with the one to send: %s', async (path, type, message) => {
    const { status, body } = await send(path, type);
    expect(status).toBe(415);
    expect(body.errors[0].message).toBe(`This content type or encoding is not accepted here: ${message}`);
  });

  it('is named where it is a form for a collection without files', async () => {
    const body = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';
    const { status, text } = await send(BOOKS, 'multipart/form-data; boundary=x', body);
    expect(status).toBe(415);
    expect(text).toContain(`\`multipart/form-data\` was sent, ${json}`);
  });
});

describe('an Authorization header without the scheme Bearer', () => {
  const read = (authorization?: string) =>
    app.inject('GET', BOOKS, { token: null, headers: authorization === undefined ? {} : { authorization } });
  const CHALLENGE = 'Bearer, error="no_token", error_description="No access token supplied"';

  it.each([
    ['hunter2', 'The scheme `Bearer` is missing'],
    ['Basic hunter2', 'The scheme `Bearer` is missing'],
    ['Bearer', 'has no token'],
    ['Bearer hunter2 x', 'has spaces in its token'],
  ])('such as %j is told what is wrong with it', async (header, details) => {
    const { status, headers, body, text } = await read(header);
    expect([status, headers['www-authenticate']]).toEqual([401, CHALLENGE]);
    expect(body.errors).toEqual([
      {
        message: 'No access token supplied',
        code: 'NO_TOKEN',
        details: expect.stringContaining(details),
      },
    ]);
    expect(text).not.toContain('hunter2');
  });

  it('is not spoken of where none was sent', async () => {
    const { status, headers, body } = await read();
    expect([status, headers['www-authenticate']]).toEqual([401, CHALLENGE]);
    expect(body.errors).toEqual([{ message: 'No access token supplied', code: 'NO_TOKEN' }]);
  });
});

describe('the path of a collection that does not exist', () => {
  it.each([
    ['/1.0/library/bokks', 'There is no collection `bokks` in `1.0/library`: did you mean `books`?'],
    ['/1.0/library/zebras', 'There is no collection `zebras` in `1.0/library`; there is `books`, `people`'],
    [
      '/1.0/library/zebras/count',
      'There is no collection `zebras` in `1.0/library`; there is `books`, `people`',
    ],
    [
      '/1.0/library/zebras/config',
      'There is no collection `zebras` in `1.0/library`; there is `books`, `people`',
    ],
    ['/1.0/libary/books', 'There is no database `libary` in version `1.0`: did you mean `library`?'],
    ['/2.0/library/books', 'There is no version `2.0`: did you mean `1.0`?'],
    ['/master/library/books', 'There is no version `master`; there is `1.0`'],
  ])('%s is explained to an admin', async (path, message) => {
    const { status, body } = await app.inject('GET', path);
    expect([status, body.errors]).toEqual([404, [{ message, code: 'NOT_FOUND' }]]);
  });

  it('is to everybody else like any other path, whatever exists near it', async () => {
    const token = await app.userToken('plain');
    const answers = new Set<string>();
    for (const path of ['/1.0/library/bokks', '/1.0/libary/books', '/2.0/library/books', '/9.9/x/y']) {
      answers.add((await app.inject('GET', path, { token })).text);
      expect((await app.inject('GET', path, { token: null })).status).toBe(401);
    }
    expect([...answers].map((text) => JSON.parse(text).errors)).toEqual([
      [{ message: 'Nothing lives at this address', code: 'NOT_FOUND' }],
    ]);
  });
});
