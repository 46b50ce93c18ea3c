// Real files from the upload to the download: dimensions as shown, the same bytes back by every address, safe headers.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type MediaServer, PICTURES, startMediaServer } from '../helpers/app/media-server.ts';
import { bmp, encodedAnimation, noise, picture } from '../helpers/fixtures/images.ts';

const SCRIPTED =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>alert(1)</script></svg>';
/** An empty archive. */
const ZIP = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);

let server: MediaServer;
beforeAll(async () => {
  server = await startMediaServer();
});
afterAll(() => server.close());

async function uploaded(fileName: string, type: string, body: string | Uint8Array) {
  const answer = await server.upload([{ fileName, type, body }]);
  expect(answer.status).toBe(201);
  return answer.body.results[0];
}

async function download(path: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${await server.adminToken()}`;
  const answer = await fetch(server.url + path, { headers: { authorization, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('images', () => {
  it('have the dimensions in which they are shown, in every format', async () => {
    const turned = { orientation: 6 };
    const rows: readonly (readonly [string, Buffer, number, number])[] = [
      ['image/png', await picture(40, 30, (image) => image.png()), 40, 30],
      ['image/jpeg', await picture(40, 30, (image) => image.jpeg().withMetadata(turned)), 30, 40],
      ['image/gif', await encodedAnimation(40, 30, 3, (image) => image.gif()), 40, 30],
      ['image/webp', await picture(40, 30, (image) => image.webp().withMetadata(turned)), 30, 40],
      ['image/avif', await picture(40, 30, (image) => image.avif({ effort: 0 })), 40, 30],
      ['image/tiff', await noise(600, 400, (image) => image.tiff({ compression: 'none' })), 600, 400],
      ['image/bmp', bmp(40, -30), 40, 30],
      ['image/svg+xml', Buffer.from(SCRIPTED), 40, 30],
      // Sixty million pixels.
      ['image/jpeg', await picture(10_000, 6000, (image) => image.jpeg()), 10_000, 6000],
    ];
    for (const [type, bytes, width, height] of rows) {
      expect(await uploaded('image', type, bytes)).toMatchObject({ mimetype: type, width, height });
    }
  });

  it('that are cut off, lie, or are none have no dimensions, and are stored all the same', async () => {
    const jpeg = await picture(40, 30, (image) => image.jpeg());
    for (const bytes of [jpeg.subarray(0, 30), ZIP, Buffer.alloc(0), bmp(0, 0), Buffer.from('%PDF-1.7')]) {
      const record = await uploaded('photo.png', 'image/png', bytes);
      expect(record).not.toHaveProperty('width');
      expect(record).not.toHaveProperty('height');
      const { status, bytes: stored } = await download(record.url);
      expect([status, stored.equals(bytes)]).toEqual([200, true]);
    }
  });
});

describe('a stored file', () => {
  it('comes back byte for byte by the address in its record, by its id, and in parts', async () => {
    const bytes = await noise(500, 300, (image) => image.png());
    const record = await uploaded('ünï b&c (1).png', 'image/png', bytes);
    for (const path of [record.url, `${PICTURES}/${record._id}/file`]) {
      const whole = await download(path);
      expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
      expect(whole.headers.get('content-type')).toBe('image/png');
    }
    const parts: Buffer[] = [];
    for (let start = 0; start < bytes.length; start += 100_000) {
      const part = await download(record.url, { range: `bytes=${start}-${start + 99_999}` });
      expect(part.status).toBe(206);
      parts.push(part.bytes);
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it('is not sent again to a client that has it, also when its record has changed', async () => {
    const record = await uploaded('again.txt', 'text/plain', 'again');
    const etag = String((await download(record.url)).headers.get('etag'));
    await server.inject('PUT', `${PICTURES}/${record._id}`, { body: { caption: 'new' } });
    expect(await download(record.url, { 'if-none-match': etag })).toMatchObject({ status: 304 });
  });

  it('is gone with its record', async () => {
    const record = await uploaded('gone.txt', 'text/plain', 'gone');
    expect((await server.inject('DELETE', `${PICTURES}/${record._id}`)).status).toBe(204);
    expect(await download(record.url)).toMatchObject({ status: 404 });
    expect(await download(`${PICTURES}/${record._id}/file`)).toMatchObject({ status: 404 });
  });

  it('that a browser might run is sent in a sandbox, whatever its name', async () => {
    for (const type of [
      'image/svg+xml',
      'text/html',
      'application/pdf',
      'application/xml',
      'text/javascript',
    ]) {
      const record = await uploaded('harmless.jpg', type, SCRIPTED);
      const { headers } = await download(record.url);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-security-policy')).toBe('sandbox');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('is read by those who may read its record, and by nobody else', async () => {
    const record = await uploaded('private.txt', 'text/plain', 'private');
    for (const path of [record.url, `${PICTURES}/${record._id}/file`, `${PICTURES}/no/such.txt`]) {
      const anonymous = await fetch(server.url + path);
      expect([anonymous.status, anonymous.headers.has('www-authenticate')]).toEqual([401, true]);
    }
  });
});

it.each(['none', 'date', 'datetime', 'sha1/4', 'sha1/5', 'sha1/8'])(
  'with the path format %s a file is found by its path',
  async (pathFormat) => {
    const other = await startMediaServer({ media: { pathFormat, public: true } });
    onTestFinished(() => other.close());
    const names = ['a b&c.png', 'count', '../../x', 'x'.repeat(300), '0123456789abcdef01234567'];
    for (const fileName of names) {
      const { body } = await other.upload([{ fileName, type: 'text/plain', body: fileName }]);
      const answer = await fetch(other.url + body.results[0].url);
      expect([answer.status, await answer.text()]).toEqual([200, fileName]);
    }
  },
);
