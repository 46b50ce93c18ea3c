// The listeners of a start, watched from outside.
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

async function freePort(): Promise<number> {
  const server = await new Promise<Server>((resolve) => {
    const opened: Server = createServer().listen(0, '127.0.0.1', () => resolve(opened));
  });
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const statusAt = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    async (answer) => (await answer.text()) && answer.status,
    () => undefined,
  );

test('the delivery port listens as soon as the content API is ready', async () => {
  const [port, deliveryPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--delivery-port', String(deliveryPort)];
  const cwd = await temporaryFolder();
  const env = { PATH: process.env['PATH'], CLOISTER_SERVER_HOST: '127.0.0.1' };
  const server = spawn(process.execPath, [join(ROOT, 'src/cloister.js'), 'start', ...ports], { cwd, env });
  const ended = new Promise((resolve) => server.once('close', resolve));
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  while ((await statusAt(port)) !== 200) expect(server.exitCode).toBeNull();
  expect(await statusAt(deliveryPort)).toBe(200);
});
