// A page of 60 MB is the same as ever, and holds the event loop for moments only.

import { hash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { longestBlockMs } from '../../helpers/server-process/timing.ts';

const PATH = '/1.0/library/large';
const TEXT = `${'aé'.repeat(130_000)}\u2028`;
const COUNT = 150;
const MOST_MS = 50;

let app: TestApp;
let url: string;
let token: string;

beforeAll(async () => {
  const large = { fields: { text: { type: 'String' } }, settings: { cache: true, count: 1000 } };
  const cache = { enabled: true, maxBytes: 1_000_000_000 };
  app = await startApp({ specs: { '1.0/library/large': large }, config: { cache } });
  url = await app.listen();
  token = await app.adminToken();
  for (let n = 0; n < COUNT; n += 10) {
    const body = Array.from({ length: 10 }, () => ({ text: TEXT }));
    expect((await app.inject('POST', PATH, { body })).status).toBe(200);
  }
  // The first use of a thread starts it.
  await app.inject('GET', `${PATH}?filter={"text":"none"}`);
});

afterAll(() => app.close());

interface Page {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function ask(query: string, method = 'GET', headers: Record<string, string> = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { authorization: `Bearer ${token}`, ...headers } };
    const sent = request(url + PATH + query, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { statusCode: status, headers: received } = answer;
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject).end();
  });
}

const tagOf = (body: Buffer) =>
  `"l${body.toString().length.toString(36)}-${hash('sha256', body, 'base64url').slice(0, 22)}"`;

describe('a page of 60 MB', () => {
  it('is whole, tagged and as long as it says: as JSON, as a call, from the cache', async () => {
    const page = await ask('');
    expect(page.status).toBe(200);
    expect(page.headers['x-cache']).toBe('MISS');
    const { results, metadata } = JSON.parse(page.body.toString());
    expect([results.length, metadata.totalCount]).toEqual([COUNT, COUNT]);
    expect(results.every(({ text }: { text: string }) => text === TEXT)).toBe(true);
    const call = await ask('?callback=f');
    expect(call.headers['x-cache']).toBe('HIT');
    const json = call.body.toString().slice('f('.length, -');'.length);
    expect(json).toBe(page.body.toString().replaceAll('\u2028', '\\u2028'));
    for (const { headers, body } of [page, call]) {
      expect([headers['etag'], headers['content-length']]).toEqual([tagOf(body), String(body.length)]);
    }
    const head = await ask('', 'HEAD');
    expect([head.headers['etag'], head.headers['content-length'], head.body.length]).toEqual([
      page.headers['etag'],
      page.headers['content-length'],
      0,
    ]);
    const known = await ask('', 'GET', { 'if-none-match': String(page.headers['etag']) });
    expect([known.status, known.body.length, known.headers['etag']]).toEqual([304, 0, page.headers['etag']]);
  });

  it.each([
    ['from the database', '?cache=false', 'GET'],
    ['from the cache', '', 'GET'],
    ['as a call', '?callback=f', 'GET'],
    ['without its body', '?cache=false', 'HEAD'],
  ])('holds the event loop for moments only: %s', async (_name, query, method) => {
    const held = await longestBlockMs(MOST_MS, async () => {
      const { hostname, port } = new URL(url);
      const options = {
        hostname,
        port,
        path: PATH + query,
        method,
        headers: { authorization: `Bearer ${token}` },
      };
      await new Promise<void>((resolve, reject) => {
        request(options, (answer) => answer.resume().once('end', resolve))
          .on('error', reject)
          .end();
      });
    });
    expect(held).toBeLessThan(MOST_MS);
  });
});
