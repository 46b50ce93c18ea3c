// Shared by `cloister export` and `cloister import`: the flag, the store, Ctrl-C, and exit codes.
import { resolve } from 'node:path';
import type { SiteTransfer } from '../cli-services.ts';
import { firstSignal, type Io, operatorMessage, type SignalSource, systemErrorCode } from './io.ts';
import { loadOrReport } from './load-or-report.ts';
import type { CommandFlags } from './parse-arguments.ts';
import type { ProgressStream } from './progress-bar.ts';

/** The part of the process that these commands use: streams and signals. */
export interface ProcessStreams extends SignalSource {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: ProgressStream;
  exit(code: number): void;
}

export interface TransferTask {
  readonly transfer: SiteTransfer;
  /** An absolute path; undefined for the standard stream. */
  readonly file: string | undefined;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

export interface TransferCommand {
  readonly name: 'export' | 'import';
  readonly flags: CommandFlags;
  readonly io: Io;
  readonly host: ProcessStreams;
}

const documentsOf = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`;

/** `12,345 documents of 7 collections`. */
export function formatAmount(documents: number, collections: number): string {
  return `${documentsOf(documents)} of ${collections} ${collections === 1 ? 'collection' : 'collections'}`;
}

function reasonFor(error: unknown): string | undefined {
  return systemErrorCode(error) === 'EPIPE' ? 'the reader of the output has gone' : operatorMessage(error);
}

/**
 * Opens the store and runs `work`. Returns 0, or 1 if it failed or was interrupted, after printing the reason.
 * Throws for a defect.
 */
export async function runTransfer(
  { name, flags, io, host }: TransferCommand,
  work: (task: TransferTask) => Promise<void>,
): Promise<number> {
  const fail = (reason: string) => {
    io.err(`cloister: ${name}: ${reason}`);
    return 1;
  };
  if (flags.file === undefined) return fail('--file is missing');
  const controller = new AbortController();
  void firstSignal(host, (code) => host.exit(code)).then(() => controller.abort());
  const { signal } = controller;
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openTransfer } = await import('../cli-services.ts');
  const transfer = await openTransfer(loaded.config, { cwd: io.cwd });
  try {
    await work({ transfer, file: flags.file === '-' ? undefined : resolve(io.cwd, flags.file), signal });
    return 0;
  } catch (error) {
    if (signal.aborted) return fail('stopped');
    const reason = reasonFor(error);
    if (reason === undefined) throw error;
    return fail(reason);
  } finally {
    await transfer.close();
  }
}
