// Starts servers, each in a process of its own: Cloister as an operator starts it, and scripts that stand beside it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../src/lib/json/json.ts';
import { connectClient } from '../test/helpers/server-process/client.ts';
import { freePort, type ServerProcess, spawnServer } from '../test/helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../test/helpers/temp/workspace.ts';
import type { Server } from './measure.ts';

const POLL_MS = 50;
const ENV = { CLOISTER_LOGGING_LEVEL: 'error', CI: '' };
/** A run must not outlive its token. */
const TOKEN_TTL = 86_400;

export interface RunningServer extends Server {
  stop(): Promise<void>;
}

export type Client = Awaited<ReturnType<typeof connectClient>>;

export interface RunningCloister extends RunningServer {
  /** The address of the delivery listener. */
  readonly deliveryUrl: string;
  /** An admin of the content API. */
  readonly client: Client;
  readonly workspace: Workspace;
  readonly readyMs: number;
}

/** Starts a server in the folder of a workspace. */
export function spawnCloister({ cwd }: Workspace): Promise<ServerProcess> {
  return spawnServer({ cwd, env: ENV });
}

/**
 * Cloister, authentication on, response cache off, with these collections and settings. `prepare` runs before it starts, such
 * as with a server of its own that fills the database. The workspace goes when it stops.
 */
export async function startCloister(
  specifications: Readonly<Record<string, JsonObject>>,
  config: JsonObject = {},
  prepare: (workspace: Workspace) => Promise<void> = async () => undefined,
): Promise<RunningCloister> {
  const settings = { auth: { tokenTtl: TOKEN_TTL }, cache: { enabled: false }, ...config };
  const workspace = createWorkspace(specifications, settings);
  await prepare(workspace);
  const server = await spawnCloister(workspace);
  const client = await connectClient(server.url);
  return {
    url: server.url,
    deliveryUrl: server.deliveryUrl,
    pid: server.process.pid ?? 0,
    headers: { authorization: `Bearer ${client.token}` },
    client,
    workspace,
    readyMs: server.readyMs,
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}

async function untilAnswers(url: string, probe: RequestInit, child: ChildProcess): Promise<void> {
  while (!(await fetch(url, probe).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`a server beside Cloister ended with ${child.exitCode}`);
    await pause(POLL_MS);
  }
}

interface ProgramOptions {
  /** The command, for the port on which it must listen. */
  readonly command: (port: number) => readonly [program: string, ...args: string[]];
  readonly cwd?: string;
  /** What answers 2xx once it is ready. */
  readonly path: string;
  readonly probe?: RequestInit;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts another server and waits until it answers. */
export async function startProgram(options: ProgramOptions): Promise<RunningServer> {
  const { command, cwd, path, headers = {} } = options;
  const port = await freePort();
  const [program, ...args] = command(port);
  const child = spawn(program, args, { stdio: 'inherit', ...(cwd === undefined ? {} : { cwd }) });
  const exit = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url + path, { headers, ...options.probe }, child);
  return {
    url,
    pid: child.pid ?? 0,
    headers,
    async stop() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
