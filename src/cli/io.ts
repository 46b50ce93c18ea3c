// The process as commands use it: two streams of lines, signals, errors as messages for the operator, and the configuration.
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { AppError, StoreError } from '../errors/errors.ts';
import { escapeControlCharacters } from '../lib/printable-text.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

export interface Io {
  /** A line of the command's own output. */
  out(line: string): void;
  /** A line of diagnostics. */
  err(line: string): void;
  /** The run directory. */
  readonly cwd: string;
  /** Default: the environment of the process. */
  readonly env?: Environment | undefined;
}

interface LineStream {
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** Writes lines to two streams, with control characters escaped. A closed pipe (`| head`) is ignored. */
export function createIo(streams: { stdout: LineStream; stderr: LineStream }, cwd: string): Io {
  const { stdout, stderr } = streams;
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return {
    out: (line) => void stdout.write(`${escapeControlCharacters(line)}\n`),
    err: (line) => void stderr.write(`${escapeControlCharacters(line)}\n`),
    cwd,
  };
}

const SIGNALS = { SIGTERM: 143, SIGINT: 130 } as const;

export interface SignalSource {
  on(signal: keyof typeof SIGNALS, listener: () => void): unknown;
}

/**
 * Resolves with the first signal, SIGTERM or SIGINT. A second one calls `exit` with the exit code that shells use for that signal.
 * Listens at once, so that a signal during the start is not lost.
 */
export function firstSignal(source: SignalSource, exit: (code: number) => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let isStopping = false;
  for (const [signal, code] of Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][]) {
    source.on(signal, () => {
      if (isStopping) exit(code);
      isStopping = true;
      resolve(signal);
    });
  }
  return promise;
}

/** A signal that the first SIGINT or SIGTERM aborts; a second one ends the process. */
export function abortOnSignal(ownProcess: SignalSource & { exit(code: number): void }): AbortSignal {
  const controller = new AbortController();
  void firstSignal(ownProcess, (code) => ownProcess.exit(code)).then(() => controller.abort());
  return controller.signal;
}

/** The code of an error of the operating system, such as `EADDRINUSE`. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/**
 * One line for an error that the operator can fix; undefined for a defect, which needs its stack. `store` names the store of
 * a StoreError.
 */
export function operatorMessage(error: unknown, store = 'the database'): string | undefined {
  if (error instanceof AppError) return error.items.map(({ message }) => message).join('; ');
  if (error instanceof StoreError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    if (error.reason === 'in-use' && error.cause instanceof Error) return error.cause.message;
    return error.explanation ?? `${store} cannot be used (${error.reason})${cause}`;
  }
  return error instanceof Error && systemErrorCode(error) !== undefined ? error.message : undefined;
}

/** Loads the configuration and prints its issues and warnings. Undefined if there are issues. */
export async function loadOrReport(flags: CommandFlags, io: Io): Promise<LoadedConfig | undefined> {
  const [{ formatConfigIssue }, { loadConfig }] = await Promise.all([
    import('../config/config-file.ts'),
    import('../config/load-config.ts'),
  ]);
  const loaded = await loadConfig({ flags, cwd: io.cwd, ...(io.env === undefined ? {} : { env: io.env }) });
  for (const warning of loaded.warnings) io.err(`warning: ${formatConfigIssue(warning)}`);
  for (const issue of loaded.issues) io.err(formatConfigIssue(issue));
  return loaded.issues.length === 0 ? loaded : undefined;
}
