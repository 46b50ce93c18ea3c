// Servers on this machine for the tests of fetch, and a fetch that may reach them.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { createEgress } from '../../../src/capabilities/egress.ts';
import { createFetchCall } from '../../../src/capabilities/fetch-call.ts';
import { GuestCallError } from '../../../src/capabilities/guest-call.ts';
import type { NameResolver, ResolvedAddress } from '../../../src/lib/egress/destination.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { FetchGrant } from '../../../src/sandbox-supervisor/model/module-version.ts';
import { unitWith } from '../module.ts';

export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly requests: IncomingMessage[];
}

async function listening(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

function closing(server: ReturnType<typeof createServer>): void {
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** Listens on 127.0.0.1 until the test is over. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    answer(request, response);
  };
  const server = createServer(listener);
  closing(server);
  const port = await listening(server, '127.0.0.1');
  return { port, origin: `http://127.0.0.1:${port}`, requests };
}

/** The same with TLS. */
export async function serveTls(
  identity: { readonly key: string; readonly cert: string },
  answer: RequestListener,
): Promise<number> {
  const server = createTlsServer(identity, answer);
  closing(server);
  return listening(server, '127.0.0.1');
}

/** Any path with GET and POST, unless told otherwise. */
export function fetchGrant(origin: string, given: Partial<FetchGrant> = {}): FetchGrant {
  return {
    origin,
    methods: ['GET', 'POST'],
    paths: ['/'],
    maxBytes: 100_000,
    timeoutMs: 5000,
    headers: {},
    ...given,
  };
}

/** Names that lead where the test wants; unknown ones lead nowhere. */
export function namesOf(
  table: Readonly<Record<string, readonly string[]>>,
): NameResolver & { asked: string[] } {
  const asked: string[] = [];
  const find = async (name: string): Promise<readonly ResolvedAddress[]> => {
    asked.push(name);
    return (table[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, public: find, own: find };
}

interface BenchOptions {
  readonly allow?: readonly string[];
  readonly names?: NameResolver;
  readonly secrets?: Readonly<Record<string, string>>;
}

interface Noted {
  readonly origin: string;
  readonly reason: string;
}

/** One module's fetch. `ask` resolves with the parsed answer, or with the code of the refusal. */
export function fetchBench(grants: readonly FetchGrant[], options: BenchOptions = {}) {
  const refusals: Noted[] = [];
  const failures: Noted[] = [];
  const call = createFetchCall({
    egress: createEgress({
      egressAllow: options.allow ?? [],
      secrets: options.secrets ?? {},
      names: options.names ?? namesOf({}),
    }),
    now: Date.now,
    onRejected: ({ origin, reason }) => void refusals.push({ origin, reason }),
    onFailure: ({ origin, reason }) => void failures.push({ origin, reason }),
  });
  const origin = { moduleVersion: unitWith({ fetch: grants }), client: null, requestId: 'r1' };
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  const ask = async (args: JsonObject, signal = new AbortController().signal): Promise<any> => {
    try {
      return JSON.parse(await call(args, origin, signal));
    } catch (error) {
      if (error instanceof GuestCallError) return error.code;
      throw error;
    }
  };
  return { ask, call, refusals, failures };
}

/** A fetch that may reach one server of this machine. */
export function benchFor({ origin, port }: TestServer, given: Partial<FetchGrant> = {}) {
  return fetchBench([fetchGrant(origin, given)], { allow: [`127.0.0.1:${port}`] });
}
