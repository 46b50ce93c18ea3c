// What `cloister export` and `cloister import` have in common: the flag, the store, Ctrl-C, and how they end.
import { resolve } from 'node:path';
import type { Transfer } from '../console.ts';
import { loadOrReport } from './configured.ts';
import { reasonOf, systemCode } from './failure.ts';
import type { Io } from './io.ts';
import type { ProgressStream } from './progress.ts';
import { firstSignal, type SignalSource } from './signals.ts';
import type { CommandFlags } from './usage.ts';

/** What these commands need of the process: whole streams, and its signals. */
export interface Host extends SignalSource {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: ProgressStream;
  exit(code: number): void;
}

export interface TransferTask {
  readonly transfer: Transfer;
  /** An absolute path; undefined for the standard stream. */
  readonly file: string | undefined;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

export interface TransferCommand {
  readonly name: 'export' | 'import';
  readonly flags: CommandFlags;
  readonly io: Io;
  readonly host: Host;
}

const documentsOf = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`;

/** `12,345 documents of 7 collections`. */
export function amount(documents: number, collections: number): string {
  return `${documentsOf(documents)} of ${collections} ${collections === 1 ? 'collection' : 'collections'}`;
}

function reasonFor(error: unknown): string | undefined {
  return systemCode(error) === 'EPIPE' ? 'the reader of the output has gone' : reasonOf(error);
}

/**
 * Opens the store and does `work`. Gives 0, or 1 when it failed or was asked to end, with the reason printed.
 * Throws for a defect of ours.
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
  const { openTransfer } = await import('../console.ts');
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
