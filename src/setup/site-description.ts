// The composition root of `cloister openapi`: the whole application on a copy of the workspace and a database of its own, which are
// thrown away, so that the description is made as a start would make it. No port is opened, and nothing of the site is written.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SECRET_PATHS } from '../config/build-config.ts';
import { assertRestored } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { commandLogOptions, createLogger } from '../lib/logger.ts';
import { DATABASE_FOLDERS } from '../stores/database-workspace.ts';
import { openOutputFile } from '../transfer/output-file.ts';
import { createApp } from './app.ts';
import { openStore } from './cli-services.ts';
import { openCommandWorkspace } from './workspace/command-workspace.ts';
import { copyWorkspace } from './workspace/copy-workspace.ts';

const ADMIN_ID = 'description';

interface DescribeOptions {
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
  /** Takes the lines of the log, each with its line end. */
  readonly onLog: (line: string) => void;
}

/** Copies what a start reads: it makes folders that are missing, and watches them. */
async function copySpecified(config: Config, cwd: string, to: string): Promise<void> {
  const workspace = await openCommandWorkspace(config, { cwd, openStore });
  try {
    await copyWorkspace(workspace, ['collections', 'endpoints', 'hooks'], to);
  } finally {
    await workspace.close();
  }
}

/** The configuration with everything that is read and written in `folder`, and nothing that another server is asked for. */
function inFolder(config: Config, folder: string, secret: string): Config {
  const { auth, cache, database, delivery, docs, media, sandbox } = config;
  return {
    ...config,
    auth: {
      ...auth,
      admin: { id: ADMIN_ID, secret },
      issuers: [],
      auditPath: undefined,
      auditKey: undefined,
    },
    cache: { ...cache, enabled: false },
    database: { ...database, engine: 'sqlite', sqlite: { ...database.sqlite, path: join(folder, 'data') } },
    delivery: { ...delivery, cache: { ...delivery.cache, storage: 'disk', path: join(folder, 'variants') } },
    docs: { ...docs, enabled: true },
    media: { ...media, storage: 'disk', basePath: join(folder, 'media') },
    sandbox: { ...sandbox, minimumLevel: 0 },
    workspace: { path: join(folder, 'workspace'), store: 'files' },
    paths: DATABASE_FOLDERS,
  };
}

async function readDescription(app: Awaited<ReturnType<typeof createApp>>, secret: string): Promise<string> {
  const login = await app.server.inject({
    method: 'POST',
    url: '/token',
    payload: { clientId: ADMIN_ID, secret },
  });
  const { accessToken } = login.json<{ readonly accessToken: string }>();
  const answer = await app.server.inject({
    url: '/docs/openapi.json',
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (answer.statusCode !== 200) throw new Error(`the description was answered with ${answer.statusCode}`);
  return answer.payload;
}

/**
 * Makes the API description as an admin gets it, as JSON text. Broken files are logged and left out, as at a start. Throws
 * CONFIGURATION_INVALID as a start does.
 */
export async function describeSite(config: Config, { cwd, onLog }: DescribeOptions): Promise<string> {
  assertRestored(config, cwd);
  const folder = await mkdtemp(join(tmpdir(), 'cloister-openapi-'));
  try {
    const secret = randomBytes(32).toString('base64url');
    const workspace = resolve(cwd, config.workspace.path);
    const own = inFolder(config, folder, secret);
    await copySpecified(config, cwd, own.workspace.path);
    const logger = createLogger({
      ...commandLogOptions(config.logging),
      secrets: SECRET_PATHS,
      // Named as people know the files, and apart from the description on the standard output.
      stream: { write: (line) => onLog(line.replaceAll(own.workspace.path, workspace)) },
    });
    const app = await createApp(own, {
      cwd,
      logger,
      // None: the file may name what this application leaves out.
      configFile: join(folder, 'config.json'),
    });
    try {
      await app.started;
      await app.codeLoaded();
      return await readDescription(app, secret);
    } finally {
      await app.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the text into the file, an absolute path, which gets its name once it is complete. Rejects with errors of the system. */
export async function writeDescription(file: string, text: string): Promise<void> {
  const output = await openOutputFile(file);
  try {
    await output.write(text);
    await output.complete();
  } catch (error) {
    await output.discard();
    throw error;
  }
}
