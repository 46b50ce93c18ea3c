// Originals that never come to their end: whoever asked for them waits, and nobody else.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDelivery } from '../helpers/app/delivery.ts';
import { quadrants } from '../helpers/fixtures/images.ts';

const SLOW = 12;
/** More than the test takes: nothing here may be ended by the clock. */
const SECONDS = 60;

/** A web server that sends the first byte of each file and no more, until it is told to give up. */
async function slowOrigin() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000', etag: '"one"' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('\x89', 'latin1');
    held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held };
}

describe('twelve originals that come a byte at a time', () => {
  it('keep no thumbnail of a file of this machine waiting', async () => {
    const { origin, held } = await slowOrigin();
    const images = {
      directory: { enabled: true },
      remote: { enabled: true, allow: [origin], allowPrivateAddresses: true, seconds: SECONDS },
    };
    const { inject } = await startDelivery({
      files: { 'here.png': await quadrants({ width: 80, height: 60 }) },
      recipes: { thumb: { settings: { width: 20 } } },
      config: { images, delivery: { render: { seconds: SECONDS } } },
    });
    let answered = 0;
    const waiting = Array.from({ length: SLOW }, async (_, n) => {
      const answer = await inject('GET', `/thumb/${origin}/${n}.png`);
      answered += 1;
      return answer.status;
    });
    await expect.poll(() => held).toHaveLength(SLOW);
    expect((await inject('GET', '/thumb/here.png')).status).toBe(200);
    expect(answered).toBe(0);
    for (const response of held) response.destroy();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([502]));
  });
});
