// The whole application over a store that can be sent away, before the start or later. Waits between attempts are short.
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createApp, type FirstAdmin } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { type FickleStore, fickle, type Operation } from './fickle-store.ts';
import { LIBRARY } from './fixtures.ts';
import { ADMIN } from './server-process.ts';
import { openTemporaryStore } from './temporary-store.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Milliseconds of the clock for any wait. */
const WAIT_MS = 5;

export const ADMIN_ENV = {
  CLOISTER_ADMIN_ID: ADMIN.clientId,
  CLOISTER_ADMIN_SECRET: ADMIN.secret,
};

interface AwayOptions {
  /** Is the store away when the application starts, wholly or for some operations? */
  readonly away: boolean | readonly Operation[];
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: JsonObject;
  readonly specs?: Readonly<Record<string, JsonObject>>;
  /** Of an earlier start, on whose data and files this one begins. */
  readonly earlier?: Pick<AwayApp, 'workspace' | 'path'>;
}

interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly body: any;
}

export interface AwayApp {
  readonly app: Awaited<ReturnType<typeof createApp>>;
  readonly store: FickleStore;
  readonly workspace: Workspace;
  /** Folder of the data. */
  readonly path: string;
  readonly admins: readonly FirstAdmin[];
  readonly log: readonly string[];
  ask(method: string, path: string, asked?: Asked): Promise<Answered>;
  /** Logs in as the admin of the environment. */
  login(): Promise<string>;
  close(): Promise<void>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function asker(app: AwayApp['app']): AwayApp['ask'] {
  return async (method, path, { token, body, headers } = {}) => {
    const answer = await app.server.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: parse(answer.body) };
  };
}

/** Starts on a workspace and data of its own, which go when the test is over. */
export async function startAwayApp(options: AwayOptions): Promise<AwayApp> {
  const { away, env = ADMIN_ENV, config: file = {}, specs = LIBRARY, earlier } = options;
  const opened = await openTemporaryStore(earlier?.path);
  const workspace = earlier?.workspace ?? createWorkspace(specs, file);
  const store = fickle(opened.store);
  if (away !== false) store.leave('unavailable', away === true ? undefined : away);
  const { config, file: configFile } = await loadConfig({ flags: {}, env, cwd: workspace.cwd });
  const log: string[] = [];
  const stream = { write: (line: string) => void log.push(line) };
  const admins: FirstAdmin[] = [];
  const app = await createApp(config, {
    ...{ configFile, cwd: workspace.cwd, store },
    logger: createLogger({ level: 'info', secrets: [], stream }),
    onFirstAdmin: (admin) => void admins.push(admin),
    pause: async (_milliseconds, signal) => {
      await setTimeout(WAIT_MS, undefined, { signal }).catch(() => undefined);
    },
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= app.close();
    return closed;
  };
  onTestFinished(async () => {
    await close();
    if (earlier === undefined) workspace.remove();
  });
  const ask = asker(app);
  const login = async () => {
    const { status, body } = await ask('POST', '/token', { body: ADMIN });
    if (status !== 200) throw new Error(`no token: ${status}`);
    return body.accessToken as string;
  };
  return { app, store, workspace, path: opened.path, admins, log, ask, login, close };
}
