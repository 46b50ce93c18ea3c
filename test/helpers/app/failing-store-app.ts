// The whole application over a store that can be sent away, before the start or later. Waits between attempts are short.
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { FirstAdmin } from '../../../src/setup/startup-steps.ts';
import { LIBRARY } from '../fixtures/library.ts';
import { ADMIN } from '../server-process/server-process.ts';
import {
  type FailingStore,
  failingStore,
  type Operation,
  openTemporaryStore,
} from '../store/temporary-store.ts';
import { createWorkspace, type Workspace } from '../temp/workspace.ts';
import { ADMIN_ENV, type InjectAnswer, injectInto, startApp, type TestApp } from './app.ts';

/** Milliseconds of the clock for any wait. */
const WAIT_MS = 5;
/** Of background work that has nothing to retry. */
const ROUND_MS = 60_000;

interface FailingStoreAppOptions {
  /** Is the store away when the application starts, wholly or for some operations? */
  readonly failing: boolean | readonly Operation[];
  readonly env?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly config?: JsonObject;
  readonly specs?: Readonly<Record<string, JsonObject>>;
  /** Of an earlier start, on whose data and files this one begins. */
  readonly earlier?: Pick<FailingStoreApp, 'workspace' | 'path'>;
}

interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FailingStoreApp {
  readonly app: TestApp['app'];
  readonly store: FailingStore;
  readonly workspace: Workspace;
  /** Folder of the data. */
  readonly path: string;
  readonly admins: readonly FirstAdmin[];
  readonly log: readonly string[];
  ask(method: string, path: string, asked?: Asked): Promise<InjectAnswer>;
  /** Logs in as the admin of the environment. */
  login(): Promise<string>;
  close(): Promise<void>;
}

/** Starts on a workspace and data of its own, which go when the test is over. */
export async function startFailingStoreApp(options: FailingStoreAppOptions): Promise<FailingStoreApp> {
  const {
    failing: away,
    env = ADMIN_ENV,
    config: file = {},
    specs = LIBRARY,
    now = Date.now,
    earlier,
  } = options;
  const opened = await openTemporaryStore(earlier?.path);
  const workspace = earlier?.workspace ?? createWorkspace(specs, file);
  const store = failingStore(opened.store);
  if (away !== false) store.fail('unavailable', away === true ? undefined : away);
  const log: string[] = [];
  const admins: FirstAdmin[] = [];
  const { app } = await startApp({
    workspace,
    store,
    log,
    env,
    hasAdmin: false,
    allowsIssues: true,
    options: {
      now,
      onFirstAdmin: (admin) => void admins.push(admin),
      // Retries come at once; rounds that come every few minutes, whatever happens, do not come at all.
      pause: async (milliseconds, signal) => {
        const wait = milliseconds >= ROUND_MS ? milliseconds : WAIT_MS;
        await setTimeout(wait, undefined, { signal }).catch(() => undefined);
      },
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
  const ask: FailingStoreApp['ask'] = (method, path, asked = {}) => injectInto(app, { method, path }, asked);
  const login = async () => {
    const { status, body } = await ask('POST', '/token', { body: ADMIN });
    if (status !== 200) throw new Error(`no token: ${status}`);
    return body.accessToken as string;
  };
  return { app, store, workspace, path: opened.path, admins, log, ask, login, close };
}
