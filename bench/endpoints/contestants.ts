// The three that serve the same handler, each in processes of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../../test/helpers/client.ts';
import { freePort, spawnServer } from '../../test/helpers/server-process.ts';
import { createWorkspace } from '../../test/helpers/workspace.ts';
import type { Target } from '../measure.ts';
import { BARE, BODY, ENDPOINT, PATH, WORKER } from './handler.ts';
import { descendantsOf, pinApart } from './processes.ts';

const WORKERD_VERSION = '1.20261117.1';
const ROOT = join(import.meta.dirname, '..', '..');
const WORKERD = join(ROOT, '.servers', 'workerd');

export interface Contestant extends Target {
  stop(): Promise<void>;
}

export interface Cloister extends Contestant {
  /** Posts code as an endpoint of version 1.0. Rejects when it is refused. */
  post(name: string, source: string, policy?: object): Promise<void>;
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  const ask = () => fetch(url + PATH, { method: 'POST', body: BODY, headers: JSON_TYPE });
  while (!(await ask().catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`a contestant ended with ${child.exitCode}`);
    await pause(50);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function started(child: ChildProcess, url: string): Promise<Contestant> {
  const exit = once(child, 'exit');
  await untilAnswers(url, child);
  pinApart(child.pid ?? 0);
  return {
    url,
    pid: child.pid ?? 0,
    headers: {},
    async stop() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Cloister with the handler as `/1.0/ranking`, all walls up. */
export async function startCloister(): Promise<Cloister> {
  const workspace = createWorkspace({}, { auth: { tokenTtl: 86_400 } });
  const env = { CLOISTER_LOGGING_LEVEL: 'error', CI: '' };
  const server = await spawnServer({ cwd: workspace.cwd, env });
  const { token } = await connect(server.url);
  const send = async (path: string, method: string, { type, body }: { type: string; body: string }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await fetch(server.url + path, { method, headers, body });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const post: Cloister['post'] = async (name, source, policy) => {
    await send(`/1.0/${name}/config`, 'POST', { type: 'text/plain', body: source });
    if (policy === undefined) return;
    await send(`/1.0/${name}/policy`, 'PUT', { type: 'application/json', body: JSON.stringify(policy) });
  };
  pinApart(server.process.pid ?? 0);
  await post('ranking', ENDPOINT);
  return {
    url: server.url,
    pid: server.process.pid ?? 0,
    headers: {},
    helpers: () => descendantsOf(server.process.pid ?? 0),
    post,
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}

/** The same handler in a route of a bare Fastify: no sandbox at all. */
export async function startBare(): Promise<Contestant> {
  const port = await freePort();
  const args = ['--input-type=module', '--eval', BARE, '--', String(port)];
  return started(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }), `http://127.0.0.1:${port}`);
}

/** Installs it at first use, apart from the project's own packages; resolves with the path of its binary. */
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

export async function startWorkerd(): Promise<Contestant> {
  const port = await freePort();
  const binary = workerdBinary();
  writeFileSync(join(WORKERD, 'worker.js'), WORKER);
  writeFileSync(
    join(WORKERD, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main) ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "worker.js") ],
  compatibilityDate = "2026-11-01",
);
`,
  );
  const child = spawn(binary, ['serve', 'config.capnp'], { cwd: WORKERD, stdio: 'inherit' });
  return started(child, `http://127.0.0.1:${port}`);
}
