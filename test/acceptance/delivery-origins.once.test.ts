// Originals of web servers that do little: without ranges, without a type, without a length.
import type { IncomingMessage, ServerResponse } from 'node:http';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { serveOriginals } from '../delivery/sources/servers.ts';
import { startDelivery } from '../helpers/app/delivery.ts';

const PHOTO = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
  .png()
  .toBuffer();
const TEXT = 'body { color: red } '.repeat(10);
const RECIPES = { thumbs: { settings: { width: 20 } }, styles: { settings: { format: 'css' } } };

/** A site whose other web server answers with these headers, and ignores ranges. */
async function siteOf(headers: Readonly<Record<string, string>>, content: Buffer | string, hasLength = true) {
  const port = await serveOriginals((request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('ETag', '"1"');
    if (hasLength) response.setHeader('Content-Length', Buffer.byteLength(content));
    if (request.method === 'HEAD') response.end();
    else if (hasLength) response.end(content);
    else response.write(content, () => response.end());
  });
  const origin = `http://127.0.0.1:${port}`;
  const remote = { enabled: true, allow: [origin], allowPrivateAddresses: true };
  const { inject } = await startDelivery({ recipes: RECIPES, config: { images: { remote } } });
  return (path: string, more: Readonly<Record<string, string>> = {}) =>
    inject('GET', path.replace('ORIGIN', origin), { headers: more });
}

describe('an image of an origin without ranges', () => {
  test.each([
    ['without a type', {}, true],
    ['of no particular type', { 'Content-Type': 'application/octet-stream' }, true],
    ['without type and length', {}, false],
  ] as const)('%s is rendered', async (_what, headers, hasLength) => {
    const get = await siteOf(headers, PHOTO, hasLength);
    const answer = await get('/thumbs/ORIGIN/photo');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'x-cache': 'MISS' },
    });
  });

  test('whose type has a quoted parameter is rendered', async () => {
    const get = await siteOf({ 'Content-Type': 'image/png; x="a\\"b"' }, PHOTO);
    expect((await get('/thumbs/ORIGIN/photo')).headers['content-type']).toBe('image/png');
  });
});

test('a file without a type is passed through by an asset recipe, and nothing of it is read before', async () => {
  const get = await siteOf({}, TEXT);
  expect(await get('/styles/ORIGIN/a')).toMatchObject({ status: 200, text: TEXT });
});

test('a range of a file whose origin has no ranges is that range', async () => {
  const get = await siteOf({ 'Content-Type': 'text/css' }, TEXT);
  const answer = await get('/styles/ORIGIN/a.css', { range: 'bytes=5-9' });
  expect(answer).toMatchObject({ status: 206, text: TEXT.slice(5, 10) });
  expect(answer.headers['content-range']).toBe(`bytes 5-9/${TEXT.length}`);
});
