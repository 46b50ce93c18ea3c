// Several servers of one deployment: real processes on one database, with one workspace, each with a client of the admin.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createWorkspace, mongoEnvironment, type Workspace } from '../temp/workspace.ts';
import { type Client, connectClient } from './client.ts';
import { type ServerProcess, spawnServer } from './server-process.ts';

/** Of the audit log: each process has a folder of its own, as on a machine of its own. */
const AUDIT_KEY = 'k'.repeat(32);

export interface DeployedServer extends Client {
  readonly server: ServerProcess;
  /** Its run directory. */
  readonly cwd: string;
  /** One request with a body that is no JSON, such as code. */
  post(path: string, text: string): Promise<number>;
}

export interface TestDeployment {
  readonly workspace: Workspace;
  readonly servers: readonly DeployedServer[];
  /** What every process and command of the deployment needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts one more. */
  add(env?: Readonly<Record<string, string>>): Promise<DeployedServer>;
  /** Starts one again that has ended, in its folder, on its port and in its place. */
  restart(at: number): Promise<void>;
  close(): Promise<void>;
}

interface DeploymentOptions {
  /** Of MongoDB, with the database in it. */
  readonly uri: string;
  readonly count: number;
  readonly specs?: Readonly<Record<string, JsonObject>>;
  readonly env?: Readonly<Record<string, string>>;
  /** False: nobody sets the key of the audit log. */
  readonly isAuditKeySet?: boolean;
}

async function connect(server: ServerProcess, cwd: string): Promise<DeployedServer> {
  const client = await connectClient(server.url);
  return {
    ...client,
    server,
    cwd,
    async post(path, body) {
      const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'text/javascript' };
      const answer = await fetch(server.url + path, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

/** Starts so many servers, one after the other. */
export async function startDeployment(options: DeploymentOptions): Promise<TestDeployment> {
  const { uri, count, specs = {}, isAuditKeySet = true } = options;
  const workspace = createWorkspace(specs);
  const env = {
    ...mongoEnvironment(uri),
    CLOISTER_WORKSPACE_PATH: workspace.path,
    ...(isAuditKeySet ? { CLOISTER_AUTH_AUDIT_KEY: AUDIT_KEY } : {}),
    CLOISTER_LIMITS_QUERY_MS: '20000',
    ...options.env,
  };
  const servers: DeployedServer[] = [];
  const add = async (own: Readonly<Record<string, string>> = {}) => {
    const cwd = join(workspace.cwd, `node-${servers.length + 1}`);
    mkdirSync(cwd, { recursive: true });
    const server = await connect(await spawnServer({ cwd, env: { ...env, ...own } }), cwd);
    servers.push(server);
    return server;
  };
  const restart = async (at: number) => {
    const { server: ended, cwd } = servers[at] as DeployedServer;
    const port = Number(new URL(ended.url).port);
    servers[at] = await connect(await spawnServer({ cwd, env, port }), cwd);
  };
  const close = async () => {
    // Not killed: a process that ends by itself tells what of the code it ran.
    await Promise.all(servers.map(({ server }) => server.stop()));
    workspace.remove();
  };
  try {
    for (let index = 0; index < count; index += 1) await add();
  } catch (error) {
    await close();
    throw error;
  }
  return { workspace, servers, env, add, restart, close };
}
