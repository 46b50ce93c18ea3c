// Web servers on this machine that have originals, and a lookup of names that the test decides.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createRemoteSource, type RemoteSourceOptions } from '../../../src/delivery/sources/remote-source.ts';
import type { NameResolver } from '../../../src/lib/egress/destination.ts';

/** Listens on 127.0.0.1 until the test is over, and resolves with the port. */
export async function serveOriginals(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A lookup in which every name has these addresses; `asked` lists the names. */
export function namesAt(...addresses: readonly string[]): NameResolver & { readonly asked: string[] } {
  const asked: string[] = [];
  const find = async (name: string) => {
    asked.push(name);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }) as const);
  };
  return { asked, public: find, own: find };
}

/** A source that may fetch from `allow`, at private addresses too unless told otherwise. */
export const remoteSource = (options: Partial<RemoteSourceOptions>) =>
  createRemoteSource({
    allow: [],
    allowPrivateAddresses: true,
    seconds: 5,
    maxBytes: 1000,
    names: namesAt('127.0.0.1'),
    now: () => 0,
    ...options,
  });
