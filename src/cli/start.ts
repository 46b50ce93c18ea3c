// `cloister start`: configuration, application, listener, signals. The only place that ends the process.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import module from 'node:module';
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import type { LoadedConfig } from '../config/load.ts';
import { SECRET_PATHS } from '../config/redact.ts';
import { createLogger } from '../lib/logger.ts';
import { credentialLines } from './clients.ts';
import { loadOrReport } from './configured.ts';
import type { Io } from './io.ts';
import { firstSignal } from './signals.ts';
import type { CommandFlags } from './usage.ts';

const LISTEN_FAILURES = new Map([
  ['EADDRINUSE', 'another process listens there'],
  ['EACCES', 'this user may not'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'there is no such host'],
]);

interface Context {
  readonly io: Io;
  /** Resolves when the process is asked to end. */
  readonly stop: Promise<void>;
}

/** The code of an error of the operating system, such as `EADDRINUSE`. */
function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** Makes the workspace folder if it is missing and says so. */
async function prepareWorkspace(folder: string, io: Io): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(folder, { recursive: true });
  io.out(`created an empty workspace: ${folder}`);
}

/** The lines that let a person in who has just started an empty server. */
function firstAdminLines({
  id,
  secret,
}: {
  readonly id: string;
  readonly secret: string;
}): readonly string[] {
  return [
    ...credentialLines(id, secret),
    `export CLOISTER_ADMIN_ID=${id}`,
    `export CLOISTER_ADMIN_SECRET=${secret}`,
  ];
}

async function listen(app: App, { config }: LoadedConfig, io: Io): Promise<boolean> {
  try {
    const { url } = await app.listen();
    io.out(`content API ready at ${url}`);
    return true;
  } catch (error) {
    const why = LISTEN_FAILURES.get(systemCode(error) ?? '');
    if (why === undefined) throw error;
    io.err(`cloister: cannot listen on ${config.server.host}:${config.server.port}: ${why}`);
    return false;
  }
}

async function serve(app: App, loaded: LoadedConfig, context: Context): Promise<number> {
  const { io, stop } = context;
  for (const notice of app.notices) io.out(notice);
  if (app.firstAdmin !== undefined) firstAdminLines(app.firstAdmin).forEach(io.out);
  const listening = await listen(app, loaded, io);
  if (listening) {
    setImmediate(() => module.flushCompileCache());
    await stop;
  }
  const deadline = setTimeout(() => process.exit(0), loaded.config.server.shutdownSeconds * 1000);
  await app.close();
  clearTimeout(deadline);
  return listening ? 0 : 1;
}

async function startApp(loaded: LoadedConfig, context: Context): Promise<number> {
  const { config, file } = loaded;
  const { io } = context;
  const logger = createLogger({ level: config.logging.level, secrets: SECRET_PATHS });
  try {
    await prepareWorkspace(resolve(io.cwd, config.workspace.path), io);
    const { createApp } = await import('../app.ts');
    const app = await createApp(config, { logger, configFile: file, cwd: io.cwd });
    return await serve(app, loaded, context);
  } catch (error) {
    // What the operating system refuses is the operator's to mend; anything else is a defect and needs its stack.
    if (systemCode(error) === undefined) logger.fatal({ err: error }, 'the start failed');
    io.err(`cloister: could not start: ${error instanceof Error ? error.message : 'unknown error'}`);
    return 1;
  }
}

/** Serves until a signal comes, then ends the process: with 1 when the start fails, every reason printed. */
export async function start(flags: CommandFlags, io: Io): Promise<number> {
  const stop = firstSignal(process, (code) => process.exit(code));
  const loaded = await loadOrReport(flags, io);
  const code = loaded === undefined ? 1 : await startApp(loaded, { io, stop });
  process.exit(code);
}
