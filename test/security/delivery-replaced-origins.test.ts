// A file of another web server that is replaced between its head and its bytes is looked for once more, and never sent under the
// ETag or the length of another one.
import { expect, test } from 'vitest';
import { serveOriginals } from '../delivery/sources/servers.ts';
import { startDelivery } from '../helpers/app/delivery.ts';
import { quadrants } from '../helpers/fixtures/images.ts';

interface Version {
  readonly etag: string;
  readonly bytes: Buffer;
}

/** An origin that gives the version of `versionAt`, which is told how many requests there were before. */
async function origin(versionAt: (request: number) => Version, type: string) {
  let count = 0;
  const methods: string[] = [];
  const port = await serveOriginals((request, response) => {
    const { etag, bytes } = versionAt(count);
    count += 1;
    methods.push(request.method ?? '');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const [first, last] = range === null ? [0, bytes.length - 1] : [Number(range[1]), Number(range[2])];
    const part = bytes.subarray(first, last + 1);
    response.writeHead(range === null ? 200 : 206, {
      'content-type': type,
      'content-length': part.length,
      etag,
      ...(range !== null && { 'content-range': `bytes ${first}-${last}/${bytes.length}` }),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  });
  return { url: `http://127.0.0.1:${port}`, methods };
}

async function deliveryOf(allow: string) {
  const remote = { enabled: true, allow: [allow], allowPrivateAddresses: true };
  return startDelivery({
    config: { images: { remote }, cache: { enabled: false } },
    recipes: { thumb: { settings: { width: 8, format: 'png' } } },
  });
}

const text = (etag: string, bytes: string): Version => ({ etag, bytes: Buffer.from(bytes) });
const OLD = text('"old"', 'the old one');
const NEW = text('"new"', 'another one');
const LONGER = text('"longer"', 'one that is longer');

test.each([
  ['of the same length', NEW, undefined],
  ['of another length', LONGER, undefined],
  ['of the same length, in part', NEW, 'bytes=0-2'],
  ['of another length, in part', LONGER, 'bytes=0-2'],
])(
  'a file that is replaced after its head by one %s is delivered as the new one',
  async (_what, next, range) => {
    const { url, methods } = await origin((request) => (request === 0 ? OLD : next), 'application/pdf');
    const { inject } = await deliveryOf(url);
    const headers = range === undefined ? {} : { range };
    const answer = await inject('GET', `/thumb/${url}/a.pdf`, { headers });
    const wanted = next.bytes.toString();
    expect([answer.status, answer.text]).toEqual(
      range === undefined ? [200, wanted] : [206, wanted.slice(0, 3)],
    );
    expect(methods).toEqual(['HEAD', 'GET', 'HEAD', 'GET']);
    const again = await inject('GET', `/thumb/${url}/a.pdf`);
    expect(again.headers['etag']).toBe(answer.headers['etag']);
  },
);

test('an image that is replaced after its head is rendered from the new one', async () => {
  const small = { etag: '"small"', bytes: await quadrants({ width: 20, height: 20 }) };
  const large = { etag: '"large"', bytes: await quadrants({ width: 40, height: 20 }) };
  const { url } = await origin((request) => (request === 0 ? small : large), 'image/png');
  const { inject } = await deliveryOf(url);
  const answer = await inject('GET', `/thumb/${url}/a.png`);
  expect(answer.status).toBe(200);
  const { headers } = await inject('GET', `/thumb/${url}/a.png`);
  expect(headers['etag']).toBe(answer.headers['etag']);
});

test('a file that is replaced after each of its heads is 502, after two looks', async () => {
  const { url, methods } = await origin(
    (request) => text(`"${request}"`, `version ${request}`),
    'application/pdf',
  );
  const { inject } = await deliveryOf(url);
  const { status, body } = await inject('GET', `/thumb/${url}/a.pdf`);
  expect([status, JSON.stringify(body)]).toEqual([502, expect.stringContaining('has just changed')]);
  expect(methods).toEqual(['HEAD', 'GET', 'HEAD', 'GET']);
});
