// The whole application inside the test's own process: requests are injected, a socket is opened only when asked for.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createApp } from '../../../src/setup/app.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { LIBRARY } from '../fixtures/library.ts';
import type { Answer } from '../server-process/client.ts';
import { ADMIN } from '../server-process/server-process.ts';
import { createWorkspace, mongoOfWorkspaces, type Workspace } from '../temp/workspace.ts';

/** Drops them. The embedded database needs none of this. */
async function dropFolderDatabases(workspace: string): Promise<void> {
  const uri = mongoOfWorkspaces();
  if (uri === undefined) return;
  // Not imported above: whoever imports it starts the servers.
  const { rawClient } = await import('../store/mongo-servers.ts');
  const root = join(workspace, 'collections');
  const names = readdirSync(root).flatMap((version) => readdirSync(join(root, version)));
  for (const name of new Set(names)) await rawClient(uri).db(name).dropDatabase();
}

interface Sending {
  /** A bearer token; nothing is sent without one. */
  readonly token?: string | null | undefined;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface InjectAnswer extends Omit<Answer, 'headers'> {
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
}

/** The JSON of a text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends one request. `body` of the answer is parsed JSON, or undefined when it is none. */
export async function injectInto(
  { server }: Pick<Awaited<ReturnType<typeof createApp>>, 'server'>,
  { method, path }: { readonly method: string; readonly path: string },
  { token, body, headers }: Sending,
): Promise<InjectAnswer> {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: parsed(answer.body),
  } as InjectAnswer;
}

export interface StartOptions {
  /** What `workspace/config.json` holds. */
  readonly config?: JsonObject;
  /** Specifications by `version/database/name`; the library's books and people unless given. */
  readonly specs?: Readonly<Record<string, JsonObject>>;
  /** A workspace of the caller's, who also removes it: to start again on the same data. */
  readonly workspace?: Workspace;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Used in place of the stores that the configuration names. */
  readonly store?: DocumentStore;
  readonly mediaStore?: MediaStore;
  /** Takes the lines of the log, which is silent otherwise. */
  readonly log?: string[];
  /** From which level on; `info` unless given. */
  readonly logLevel?: 'debug' | 'info';
  /** False: the environment names no admin. */
  readonly hasAdmin?: boolean;
  /** Starts in spite of issues of the configuration. Throws with them otherwise. */
  readonly allowsIssues?: boolean;
  /** Further options of the application. */
  readonly options?: Partial<
    Pick<
      Parameters<typeof createApp>[1],
      'pause' | 'onFirstAdmin' | 'now' | 'hashCost' | 'leakedFiles' | 'adminFolder' | 'docsFolder'
    >
  >;
}

interface InjectOptions {
  /** A bearer token; null sends none. The admin's unless given. */
  readonly token?: string | null;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestApp {
  readonly app: Awaited<ReturnType<typeof createApp>>;
  readonly workspace: Workspace;
  /** Sends one request without a socket. `body` of the answer is parsed JSON, or undefined when it is none. */
  inject(method: string, path: string, options?: InjectOptions): Promise<InjectAnswer>;
  adminToken(): Promise<string>;
  token(clientId: string, secret: string): Promise<string>;
  /** Creates a client that is no admin and resolves with its token. */
  userToken(clientId: string, permissions?: JsonObject): Promise<string>;
  /** Opens a real socket and resolves with its address. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** Variables of the environment that name the admin of the tests. */
export const ADMIN_ENV = { CLOISTER_ADMIN_ID: ADMIN.clientId, CLOISTER_ADMIN_SECRET: ADMIN.secret } as const;

const USER_SECRET = 'a secret of a test client';

/** Most of the processor time of a start and a login would be hashes of secrets that protect nothing. */
const CHEAP_HASH = { N: 2, r: 1, p: 1 } as const;

/** Starts on a temporary workspace and data folder; `close` removes both. */
export async function startApp(options: StartOptions = {}): Promise<TestApp> {
  const workspace = options.workspace ?? createWorkspace(options.specs ?? LIBRARY, options.config ?? {});
  const env = {
    ...(options.hasAdmin !== false && ADMIN_ENV),
    CLOISTER_LOGGING_LEVEL: 'silent',
    CLOISTER_SERVER_HOST: '127.0.0.1',
    // Any free one, chosen when it is bound: one that was free a moment ago may be another worker's by then.
    CLOISTER_SERVER_PORT: '0',
    CLOISTER_DELIVERY_HOST: '127.0.0.1',
    CLOISTER_DELIVERY_PORT: '0',
    ...options.env,
  };
  const { config, issues: problems, file } = await loadConfig({ flags: {}, env, cwd: workspace.cwd });
  if (problems.length > 0 && !options.allowsIssues)
    throw new Error(`test configuration: ${JSON.stringify(problems)}`);
  const { log, logLevel = 'info', store, mediaStore } = options;
  const stream = { write: (line: string) => void log?.push(line) };
  const logger = createLogger({
    level: log === undefined ? 'silent' : logLevel,
    format: 'json',
    secrets: [],
    stream,
  });
  const app = await createApp(config, {
    configFile: file,
    cwd: workspace.cwd,
    logger,
    hashCost: CHEAP_HASH,
    ...(store !== undefined && { store }),
    ...(mediaStore !== undefined && { mediaStore }),
    ...options.options,
  });

  // On a busy machine a start may listen before it is done, and answers 503 until then.
  if (store === undefined && mongoOfWorkspaces() !== undefined) await app.started;

  const send = (method: string, path: string, options: InjectOptions) =>
    injectInto(app, { method, path }, options);

  const token = async (clientId: string, secret: string): Promise<string> => {
    const { status, body } = await send('POST', '/token', { token: null, body: { clientId, secret } });
    if (status !== 200) throw new Error(`no token for ${clientId}: ${status}`);
    return body.accessToken;
  };
  let admin: Promise<string> | undefined;
  const adminToken = () => {
    admin ??= token(ADMIN.clientId, ADMIN.secret);
    return admin;
  };
  const inject: TestApp['inject'] = async (method, path, given = {}) =>
    send(method, path, { ...given, token: given.token === undefined ? await adminToken() : given.token });

  return {
    app,
    workspace,
    inject,
    adminToken,
    token,
    async userToken(clientId, permissions) {
      const body = { clientId, secret: USER_SECRET, ...(permissions === undefined ? {} : { permissions }) };
      const { status, text } = await inject('POST', '/api/clients', { body });
      if (status !== 201) throw new Error(`no client ${clientId}: ${status} ${text}`);
      return token(clientId, USER_SECRET);
    },
    listen: async () => (await app.listen()).url,
    async close() {
      await app.close();
      if (options.workspace !== undefined) return;
      if (config.database.enableCollectionDatabases) await dropFolderDatabases(workspace.path);
      workspace.remove();
    },
  };
}
