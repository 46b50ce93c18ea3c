// `cloister export`: every document of the site into a file, or to the standard output. `cloister import`: back into the
// configured database. Both take the same flag and end alike. `cloister workspace push` and `pull`: what people write, into and out of the
// database.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import type { LoadedConfig } from '../config/load-config.ts';
import type { SiteTransfer } from '../setup/transfer.ts';
import type { ImportState } from '../transfer/import.ts';
import { checkContents, printIssues, withoutRepetitions } from './check.ts';
import {
  abortOnSignal,
  type Io,
  loadOrReport,
  operatorMessage,
  type SignalSource,
  systemErrorCode,
} from './io.ts';
import { createProgressBar, type ProgressStream } from './output/progress-bar.ts';
import { changeLines, changeSummary, describeServers } from './output/workspace-changes.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

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
  readonly ownProcess: ProcessStreams;
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
 * Loads the configuration and runs `work`. Returns its exit code, or 1 if it failed or was interrupted, after printing the reason.
 * Throws for a defect.
 */
export async function runConfigured(
  { name, flags, io, ownProcess }: TransferCommand,
  work: (config: LoadedConfig['config'], signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const fail = (reason: string) => {
    io.err(`cloister: ${name}: ${reason}`);
    return 1;
  };
  const signal = abortOnSignal(ownProcess);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  try {
    return await work(loaded.config, signal);
  } catch (error) {
    if (signal.aborted) return fail('stopped');
    const reason = reasonFor(error);
    if (reason === undefined) throw error;
    return fail(reason);
  }
}

/** Opens the store for `work` on the file that the flags name. */
export async function runTransfer(
  command: TransferCommand,
  work: (task: TransferTask) => Promise<void>,
): Promise<number> {
  const { name, flags, io } = command;
  const { file } = flags;
  if (file === undefined) {
    io.err(`cloister: ${name}: --file is missing`);
    return 1;
  }
  return runConfigured(command, async (config, signal) => {
    const { openTransfer } = await import('../setup/transfer.ts');
    const transfer = await openTransfer(config, { cwd: io.cwd });
    try {
      await work({ transfer, file: file === '-' ? undefined : resolve(io.cwd, file), signal });
      return 0;
    } finally {
      await transfer.close();
    }
  });
}

type Output = Awaited<ReturnType<SiteTransfer['openOutput']>>;

/** The standard output. Each write waits until the reader has taken it. */
export function standardOutput(stream: NodeJS.WritableStream): Output {
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(text, 'utf8', (error?: Error | null) => (error ? reject(error) : resolve()));
    });
  return { write, complete: async () => undefined, discard: async () => undefined };
}

async function writeDocuments(
  output: Output,
  { transfer, signal }: TransferTask,
  { io, ownProcess }: { io: Io; ownProcess: ProcessStreams },
) {
  const plan = await transfer.exporter.plan();
  for (const notice of plan.notices) io.err(notice);
  const progress = createProgressBar(ownProcess.stderr, plan.documents);
  const late: string[] = [];
  let documents = 0;
  try {
    for await (const chunk of transfer.exporter.chunks(plan, (notice) => late.push(notice))) {
      signal.throwIfAborted();
      await output.write(chunk.text);
      documents += chunk.documents;
      progress.update(documents, documents);
    }
  } finally {
    progress.stop();
  }
  for (const notice of late) io.err(notice);
  return formatAmount(documents, plan.namespaces.length);
}

/** Writes the export. Returns 1 if it failed, after printing the reason and removing the file, else 0. */
export function exportSite(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  return runTransfer({ name: 'export', flags, io, ownProcess }, async (task) => {
    const { transfer, file } = task;
    const output = file === undefined ? standardOutput(ownProcess.stdout) : await transfer.openOutput(file);
    try {
      const exported = await writeDocuments(output, task, { io, ownProcess });
      await output.complete();
      io.err(`exported ${exported}`);
    } catch (error) {
      await output.discard();
      throw error;
    }
  });
}

export const total = ({ inserted, updated, same }: ImportState) => inserted + updated + same;

/** `imported 12,345 documents of 7 collections`, and how many were there. */
export function summary(state: ImportState): string {
  const { collections, updated, same } = state;
  const parts = [
    ...(updated === 0 ? [] : [`${updated.toLocaleString('en')} replaced what was there`]),
    ...(same === 0 ? [] : [`${same.toLocaleString('en')} were there already`]),
  ];
  const more = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return `imported ${formatAmount(total(state), collections)}${more}`;
}

/** Size of the file in bytes; undefined for pipes and devices. */
async function sizeOf(file: string | undefined): Promise<number | undefined> {
  if (file === undefined) return undefined;
  const found = await stat(file);
  return found.isFile() ? found.size : undefined;
}

async function readDocuments(
  { transfer, file, signal }: TransferTask,
  { io, ownProcess }: { io: Io; ownProcess: ProcessStreams },
) {
  const size = await sizeOf(file);
  const stream = file === undefined ? (ownProcess.stdin as Readable) : createReadStream(file);
  addAbortSignal(signal, stream);
  let read = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      yield chunk;
      read += chunk.length;
    }
  };
  const progress = createProgressBar(ownProcess.stderr, size);
  let state: ImportState | undefined;
  const onProgress = (next: ImportState) => {
    state = next;
    progress.update(read, total(next));
  };
  try {
    return await transfer.import(source(), { signal, onProgress });
  } catch (error) {
    progress.stop();
    if (state !== undefined) io.err(`${summary(state)}, up to ${state.place}; the import may be repeated`);
    throw error;
  } finally {
    progress.stop();
  }
}

/** Imports the file. Returns 1 if it failed, after printing the line and the reason, else 0. */
export function importSite(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  return runTransfer({ name: 'import', flags, io, ownProcess }, async (task) => {
    const state = await readDocuments(task, { io, ownProcess });
    io.err(summary(state));
  });
}

/** Puts a folder into the database. Returns 1 where a file has an error: then nothing is written. */
export async function pushWorkspace(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openWorkspacePush } = await import('../setup/workspace/push.ts');
  const { prune = false, 'dry-run': dryRun = false } = flags;
  const folder = resolve(io.cwd, flags.folder ?? '');
  const { openStore } = await import('../setup/cli-services.ts');
  const push = await openWorkspacePush(loaded.config, { cwd: io.cwd, folder, prune, openStore });
  try {
    const found = await checkContents(loaded, { workspace: push.candidate, cwd: io.cwd });
    const unreadable = push.unreadable.map((line) => ({ severity: 'error', line }) as const);
    if (printIssues(withoutRepetitions([...unreadable, ...found]), io) > 0) {
      io.err('cloister: workspace push: nothing was written');
      return 1;
    }
    const options = { prune, dryRun, surplusIn: 'the database' };
    for (const line of changeLines(push.difference, options)) io.out(line);
    const reached = dryRun ? undefined : describeServers(await push.apply());
    io.out([changeSummary(push.difference, options), ...(reached === undefined ? [] : [reached])].join('; '));
    return 0;
  } finally {
    await push.close();
  }
}

/** Writes what is in the database into a folder. */
export async function pullWorkspace(flags: CommandFlags, io: Io): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openWorkspacePull } = await import('../setup/workspace/pull.ts');
  const { prune = false, overwrite = false, 'dry-run': dryRun = false } = flags;
  const folder = resolve(io.cwd, flags.folder ?? '');
  const { openStore } = await import('../setup/cli-services.ts');
  const place = { cwd: io.cwd, folder, overwrite, prune, openStore };
  const pull = await openWorkspacePull(loaded.config, place);
  try {
    const options = { prune, dryRun, surplusIn: 'the folder' };
    if (!dryRun) await pull.apply();
    for (const line of changeLines(pull.difference, options)) io.out(line);
    io.out(changeSummary(pull.difference, options));
    return 0;
  } finally {
    await pull.close();
  }
}
