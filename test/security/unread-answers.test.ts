// Clients that read next to nothing of long answers, and those whom they leave no room.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const SPEC = {
  fields: { text: { type: 'String' } },
  settings: { cache: false, count: 100, authenticate: false },
};
const REQUEST = 'GET /1.0/library/plain HTTP/1.1\r\nHost: a\r\n\r\n';
const MB = 1_000_000;

let app: TestApp;
let url: URL;
beforeAll(async () => {
  const limits = { sendSeconds: 1, unsentBytes: 20 * MB };
  app = await startApp({ specs: { '1.0/library/plain': SPEC }, config: { limits } });
  url = new URL(await app.listen());
  const body = Array.from({ length: 5 }, () => ({ text: 'x'.repeat(MB) }));
  await app.inject('POST', '/1.0/library/plain', { body });
});
afterAll(() => app.close());

async function ask(text: string): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

it('a client that takes a few bytes now and then is cut off, however many answers it asks for', async () => {
  const socket = await ask(REQUEST.repeat(20));
  // A piece at each look: never still for as long as the limit says, and far below the least rate.
  const sip = setInterval(() => socket.read(100), 100);
  socket.pause();
  const open = () =>
    new Promise((resolve) => app.app.server.server.getConnections((_error, count) => resolve(count)));
  await expect.poll(open).toBe(0);
  clearInterval(sip);
  socket.destroy();
});

it('a read that is refused because others wait ends its connection, and leaves what waits behind it', async () => {
  const first = await ask(REQUEST);
  first.pause();
  const answers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const socket = await ask(REQUEST.repeat(3));
      const isOver = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      return { socket, isOver };
    }),
  );
  const texts = await Promise.all(
    answers.map(async ({ socket, isOver }) => {
      let text = '';
      const isServed = new Promise<void>((resolve) => {
        socket.on('data', (chunk: Buffer) => {
          if (text.length < 2000) text += chunk.toString('latin1');
          if (text.startsWith('HTTP/1.1 200')) resolve();
        });
      });
      await Promise.race([isServed, isOver]);
      if (text.startsWith('HTTP/1.1 200')) socket.destroy();
      return text;
    }),
  );
  const refused = texts.filter((text) => text.startsWith('HTTP/1.1 503'));
  expect(refused.length).toBeGreaterThan(0);
  for (const text of refused) {
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  }
  first.destroy();
});
