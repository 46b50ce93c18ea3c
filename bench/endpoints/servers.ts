// The three that serve the same handler: Cloister, workerd, and a bare Fastify without any sandbox.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinServer } from '../processes.ts';
import { type RunningServer, startCloister, startProgram } from '../servers.ts';
import { BARE, BODY, ENDPOINT, PATH, WORKER } from './handler.ts';

const WORKERD_VERSION = '1.20261117.1';
const ROOT = join(import.meta.dirname, '..', '..');
const WORKERD = join(ROOT, '.servers', 'workerd');
const PROBE = { method: 'POST', body: BODY, headers: { 'content-type': 'application/json' } };

export interface EndpointServer extends RunningServer {
  /** Posts code as an endpoint of version 1.0. Rejects when it is refused. */
  post(name: string, source: string, policy?: object): Promise<void>;
}

const JIT_DOMAIN = 'compiled';

/**
 * Cloister with the handler as `/1.0/ranking`, at the highest isolation level of this machine. `jit`: in a trust domain with the
 * just-in-time compiler.
 */
export async function startEndpoints({ jit = false } = {}): Promise<EndpointServer> {
  const server = await startCloister({}, jit ? { sandbox: { jitDomains: [JIT_DOMAIN] } } : {});
  const send = async (path: string, method: string, type: string, body: string) => {
    const headers = { ...server.headers, 'content-type': type };
    const answer = await fetch(server.url + path, { method, headers, body });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const post: EndpointServer['post'] = async (name, source, policy) => {
    await send(`/1.0/${name}/config`, 'POST', 'text/plain', source);
    if (policy === undefined) return;
    await send(`/1.0/${name}/policy`, 'PUT', 'application/json', JSON.stringify(policy));
  };
  pinServer(server.pid);
  await post('ranking', ENDPOINT, jit ? { version: 1, trustDomain: JIT_DOMAIN } : undefined);
  return { ...server, headers: {}, post };
}

/** The same handler in a route of a bare Fastify: no sandbox at all. */
export async function startBare(): Promise<RunningServer> {
  const command = (port: number) =>
    [process.execPath, '--input-type=module', '--eval', BARE, '--', String(port)] as const;
  const server = await startProgram({ command, cwd: ROOT, path: PATH, probe: PROBE });
  pinServer(server.pid);
  return server;
}

/** Installs it at first use, apart from the project's own packages; returns the path of its binary. */
function workerdBinary(): string {
  const platform = `workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`;
  const binary = join(WORKERD, 'node_modules', '@cloudflare', platform, 'bin', 'workerd');
  if (!existsSync(binary)) {
    mkdirSync(WORKERD, { recursive: true });
    const args = ['install', '--prefix', WORKERD, '--no-save', '--no-audit', '--no-fund'];
    execFileSync('npm', [...args, `workerd@${WORKERD_VERSION}`], { stdio: 'ignore' });
  }
  return binary;
}

const workerdConfig = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "worker.js") ],
  compatibilityDate = "2026-11-01",
);
`;

/** The same handler in an isolate of workerd. */
export async function startWorkerd(): Promise<RunningServer> {
  const binary = workerdBinary();
  writeFileSync(join(WORKERD, 'worker.js'), WORKER);
  const command = (port: number) => {
    writeFileSync(join(WORKERD, 'config.capnp'), workerdConfig(port));
    return [binary, 'serve', 'config.capnp'] as const;
  };
  const server = await startProgram({ command, cwd: WORKERD, path: PATH, probe: PROBE });
  pinServer(server.pid);
  return server;
}
