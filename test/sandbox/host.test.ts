// A real host process, spoken to as the server does, and as it never would.
import { afterEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../src/sandbox-supervisor/host-connection.ts';
import { type HostProcess, startHost } from './lab/host-process.ts';

const hosts: HostProcess[] = [];
afterEach(() => {
  for (const { child } of hosts.splice(0)) child.kill('SIGKILL');
});

function start(): HostProcess {
  const host = startHost();
  hosts.push(host);
  return host;
}

const LOAD = {
  t: 'load',
  moduleNumber: 1,
  name: 'a.js',
  kind: 'endpoint',
  isolation: 'realm',
  loadMs: 10_000,
  cpuMs: 10_000,
  wallMs: 30_000,
  heapMb: 64,
  responseBytes: 1000,
  logBytes: 1000,
  logLines: 10,
  hostCalls: 5,
  timers: 5,
  timerMs: 100,
  model: false,
  fetch: false,
  config: '{}',
};
const HEAD = JSON.stringify({
  method: 'GET',
  url: '/',
  path: '/',
  params: {},
  query: {},
  headers: {},
  bodyType: 'none',
  client: null,
  ip: '::1',
});

async function ready() {
  const host = start();
  await expect.poll(() => host.frames.length).toBe(1);
  return host;
}

describe('a host', () => {
  it('says that it is ready, and with what', async () => {
    const { frames } = await ready();
    expect(frames[0]?.header).toEqual({
      t: 'ready',
      versions: { node: process.versions.node, v8: expect.any(String), isolatedVm: '7.0.1' },
      layers: expect.any(Object),
    });
  });

  it('runs what it is sent', async () => {
    const { frames, send } = await ready();
    send(LOAD, 'module.exports.get = (req, res) => res.end("hello")');
    send({ t: 'run', moduleNumber: 1, maxInFlight: 1, requests: [[5, HEAD.length, 0]] }, HEAD);
    await expect
      .poll(() => frames[1])
      .toMatchObject({
        header: { t: 'results', moduleNumber: 1, events: [[5, 'end', expect.any(Number), 5]], idle: true },
        raw: expect.stringMatching(/^\[200,.*\]hello$/),
      });
  });

  it('inspects', async () => {
    const { frames, send } = await ready();
    send(
      { t: 'inspect', id: 3, kind: 'endpoint', loadMs: 10_000, heapMb: 64 },
      'module.exports.get = () => 1',
    );
    await expect
      .poll(() => frames[1]?.header)
      .toMatchObject({
        t: 'inspected',
        id: 3,
        inspection: { ok: true, methods: ['GET'] },
      });
  });

  it('goes when the server does', async () => {
    const { socket, exit } = await ready();
    socket.destroy();
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it.each<[string, (host: HostProcess) => unknown]>([
    ['a message that it does not know', ({ send }) => send({ t: 'toString' })],
    ['a message without a kind', ({ send }) => send({})],
    ['a frame that is too large', ({ socket }) => socket.write(Buffer.alloc(8, 255))],
    ['a header that is no JSON', ({ socket }) => socket.write(encodeFrame('{', [], 0))],
    ['half a frame', ({ socket }) => socket.end(Buffer.alloc(5))],
    [
      'requests of a moduleNumber that it does not have',
      ({ send }) => send({ t: 'run', moduleNumber: 9, maxInFlight: 1, requests: [] }),
    ],
  ])('ends itself on %s', async (_, misbehave) => {
    const host = await ready();
    misbehave(host);
    expect(await host.exit).toEqual([null, 'SIGKILL']);
  });

  it('says that it is lost before it goes', async () => {
    const { frames, send, exit } = await ready();
    send({ t: 'run', moduleNumber: 9, maxInFlight: 1, requests: [] });
    await exit;
    await expect.poll(() => frames[1]?.header).toEqual({ t: 'lost', number: null });
  });
});
