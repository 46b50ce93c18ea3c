// `cloister start`: configuration, application, listeners, signals. The only place that ends the process.
import { existsSync, writeSync } from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { SECRET_PATHS } from '../config/build-config.ts';
import { assertRestored } from '../config/data-folder.ts';
import { type LoadedConfig, nodeOptions, shareCompileCache } from '../config/load-config.ts';
import { makeFolder } from '../lib/files/file-operations.ts';
import { countLeakedFiles } from '../lib/files/leaked-files.ts';
import { createLogger, type Log } from '../lib/logger.ts';
import { boundYoungGeneration } from '../lib/processes/young-generation.ts';
import type { App } from '../setup/app.ts';
import { connectWorker, type WorkerLink } from '../setup/processes/worker-link.ts';
import type { FirstAdmin } from '../setup/startup-steps.ts';
import { credentialLines } from './clients.ts';
import { firstSignal, type Io, loadOrReport, operatorMessage, systemErrorCode } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

interface RejectionSource {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/** Logs unhandled rejections instead of ending the process: one is a defect of one request, and the others go on. */
export function logUnhandledRejections(source: RejectionSource, log: Pick<Log, 'error'>): void {
  source.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'));
}

/** Ends the process as Node does after an error that nobody caught. */
function endAfterError(error: unknown): never {
  writeSync(process.stderr.fd, `Uncaught ${inspect(error)}\n`);
  process.exit(1);
}

/** Milliseconds that the process itself takes to end. */
const END_MS = 100;

const LISTEN_FAILURES = new Map([
  ['EADDRINUSE', 'another process listens there'],
  ['EACCES', 'this user may not'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'there is no such host'],
]);

type ListenerName = 'content' | 'delivery';

interface Context {
  readonly io: Io;
  /** Resolves with the signal when the process is asked to end. */
  readonly stop: Promise<string>;
  readonly only: ListenerName | undefined;
  /** Where this process is one of several. */
  readonly link: WorkerLink | undefined;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Of several workers, the first to start says what there is to say. */
const quietIo = (io: Io, link: WorkerLink | undefined): Io =>
  link === undefined || link.order.isFirst ? io : { ...io, out: () => undefined };

/** Creates the workspace folder if it is missing and prints that. */
async function prepareWorkspace(folder: string, io: Io): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(folder);
  io.out(`created an empty workspace: ${folder}`);
}

/** The lines with the credentials of the first admin. */
function firstAdminLines({ id, secret }: FirstAdmin): readonly string[] {
  return [
    ...credentialLines(id, secret),
    `export CLOISTER_ADMIN_ID=${id}`,
    `export CLOISTER_ADMIN_SECRET=${secret}`,
  ];
}

interface Listener {
  readonly at: { readonly host: string; readonly port: number };
  readonly listen: () => Promise<{ readonly url: string }>;
  readonly name: string;
  /** True if the start continues when the address is in use. */
  readonly optional: boolean;
}

interface Outcome {
  /** False if the start cannot continue. */
  readonly goesOn: boolean;
  print(): void;
}

/** Hosts that mean every interface of the machine. */
const ALL_INTERFACES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

async function listen({ at, listen, name, optional }: Listener, io: Io): Promise<Outcome> {
  try {
    const { url } = await listen();
    const reach = ALL_INTERFACES.has(at.host) ? ', on all interfaces' : '';
    return { goesOn: true, print: () => io.out(`${name} ready at ${url}${reach}`) };
  } catch (error) {
    const code = systemErrorCode(error);
    const why = LISTEN_FAILURES.get(code ?? '');
    if (why === undefined) throw error;
    const goesOn = optional && code === 'EADDRINUSE';
    const outcome = goesOn ? `: ${name} is off; set \`delivery.port\`` : '';
    const line = `cloister: cannot listen on ${at.host}:${at.port}: ${why}${outcome}`;
    return { goesOn, print: () => io.err(line) };
  }
}

/** The selected listeners. Delivery is optional on its default port: of two servers on one machine one runs without it. */
function listenersOf(
  app: App,
  { config, explicit: given }: LoadedConfig,
  only: ListenerName | undefined,
): readonly Listener[] {
  const content = { at: config.server, listen: app.listen, name: 'content API', optional: false };
  const isOptional = only === undefined && !given.has('delivery.port');
  const delivery = {
    at: config.delivery,
    listen: app.listenDelivery,
    name: 'delivery',
    optional: isOptional,
  };
  if (only !== undefined) return only === 'content' ? [content] : [delivery];
  return [content, delivery];
}

/**
 * Opens the listeners, the content API last: whoever sees from its `/health` that the server is ready finds the others open too.
 * Returns false if the start cannot continue.
 */
async function listenAll(listeners: readonly Listener[], io: Io): Promise<boolean> {
  const outcomes: Outcome[] = [];
  for (const listener of listeners.toReversed()) {
    const outcome = await listen(listener, io);
    outcomes.unshift(outcome);
    if (!outcome.goesOn) break;
  }
  const failed = outcomes.find(({ goesOn }) => !goesOn);
  for (const { print } of failed === undefined ? outcomes : [failed]) print();
  return failed === undefined;
}

/** Rejects if startup, which may continue in the background, fails. */
const failureOf = ({ started }: App) => started.then(() => new Promise<never>(() => {}));

async function serve(app: App, loaded: LoadedConfig, context: Context): Promise<number> {
  const { stop, only, link, log } = context;
  const io = quietIo(context.io, link);
  for (const notice of app.notices) io.out(notice);
  let code = 1;
  try {
    if (await listenAll(listenersOf(app, loaded, only), io)) {
      link?.tell({ kind: 'listening' });
      void app.started.then(
        () => link?.tell({ kind: 'started' }),
        () => undefined,
      );
      app.startSelfTest();
      setImmediate(() => module.flushCompileCache());
      const signal = await Promise.race([stop, failureOf(app)]);
      const { shutdownSeconds } = loaded.config.server;
      log.info({ signal, shutdownSeconds }, 'stopping: requests in flight end, no new ones are taken');
      code = 0;
    }
  } finally {
    // A little early, so that the process has ended when the time is up.
    const bound = loaded.config.server.shutdownSeconds * 1000 - END_MS;
    const deadline = setTimeout(() => {
      log.warn({}, 'stopped: what had not ended in time was cut off');
      process.exit(code);
    }, bound);
    await app.close();
    clearTimeout(deadline);
    if (code === 0) log.info({}, 'stopped');
  }
  return code;
}

async function startApp(loaded: LoadedConfig, context: Omit<Context, 'log'>): Promise<number> {
  const { config, file } = loaded;
  const { io, link } = context;
  const worker = link && { ...link.order, metrics: link.metrics };
  const base = createLogger({ ...config.logging, secrets: SECRET_PATHS });
  const logger = worker === undefined ? base : base.child({ worker: worker.number });
  logUnhandledRejections(process, logger);
  const leakedFiles = countLeakedFiles(process, {
    onLeak: (error) => logger.error({ err: error }, 'a file was opened and never closed'),
    onOther: endAfterError,
  });
  try {
    assertRestored(config, io.cwd);
    await prepareWorkspace(resolve(io.cwd, config.workspace.path), quietIo(io, link));
    const { createApp } = await import('../setup/app.ts');
    const onFirstAdmin = (admin: FirstAdmin) => firstAdminLines(admin).forEach(io.out);
    const options = { logger, configFile: file, cwd: io.cwd, onFirstAdmin, leakedFiles, worker };
    const app = await createApp(config, options);
    return await serve(app, loaded, { ...context, log: logger });
  } catch (error) {
    const reason = operatorMessage(error);
    if (reason === undefined) logger.fatal({ err: error }, 'start failed');
    io.err(`cloister: could not start: ${reason ?? 'see the log above'}`);
    return 1;
  }
}

/** Keeps the workers running until a signal. This process opens the ports and serves nothing itself. */
async function startWorkers(
  loaded: LoadedConfig,
  { io, stop, only }: Pick<Context, 'io' | 'stop' | 'only'>,
): Promise<number> {
  const { config } = loaded;
  const log = createLogger({ ...config.logging, secrets: SECRET_PATHS });
  logUnhandledRejections(process, log);
  try {
    assertRestored(config, io.cwd);
    const { superviseWorkers } = await import('../setup/processes/supervise-workers.ts');
    return await superviseWorkers(loaded, { cwd: io.cwd, only, stop, log });
  } catch (error) {
    const reason = operatorMessage(error);
    if (reason === undefined) log.fatal({ err: error }, 'start failed');
    io.err(`cloister: could not start: ${reason ?? 'see the log above'}`);
    return 1;
  }
}

/** Serves as one of several processes, with the configuration of the one that was started. */
async function startWorker(link: WorkerLink, io: Io): Promise<number> {
  const { loaded, only } = link.order;
  const explicit = new Set(loaded.explicit);
  return startApp({ ...loaded, explicit }, { io, stop: link.stop, only, link });
}

/** Serves until a signal, then ends the process: with 1 if the start fails, after printing every reason. */
export async function start(flags: CommandFlags, io: Io): Promise<number> {
  boundYoungGeneration(nodeOptions());
  shareCompileCache();
  const link = await connectWorker(process);
  if (link !== undefined) process.exit(await startWorker(link, io));
  const stop = firstSignal(process, (code) => process.exit(code));
  const loaded = await loadOrReport(flags, io);
  const only = flags.only as ListenerName | undefined;
  let code = 1;
  if (loaded !== undefined && loaded.config.server.workers === 1)
    code = await startApp(loaded, { io, stop, only, link });
  else if (loaded !== undefined) code = await startWorkers(loaded, { io, stop, only });
  process.exit(code);
}
