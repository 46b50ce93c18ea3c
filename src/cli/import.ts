// `cloister import`: the documents of an export into the configured database.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { ImportState } from '../transfer/import.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './parse-arguments.ts';
import { createProgressBar } from './progress-bar.ts';
import { formatAmount, type ProcessStreams, runTransfer, type TransferTask } from './transfer.ts';

const total = ({ inserted, updated, same }: ImportState) => inserted + updated + same;

function summary(state: ImportState): string {
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

async function copy(
  { transfer, file, signal }: TransferTask,
  { io, host }: { io: Io; host: ProcessStreams },
) {
  const size = await sizeOf(file);
  const stream = file === undefined ? (host.stdin as Readable) : createReadStream(file);
  addAbortSignal(signal, stream);
  let read = 0;
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      yield chunk;
      read += chunk.length;
    }
  };
  const progress = createProgressBar(host.stderr, size);
  let state: ImportState | undefined;
  const onProgress = (next: ImportState) => {
    state = next;
    progress.update(read, total(next));
  };
  try {
    return await transfer.import(source(), { signal, onProgress });
  } catch (error) {
    progress.stop();
    if (state !== undefined)
      io.err(`${summary(state)}, up to line ${state.line}; the import may be repeated`);
    throw error;
  } finally {
    progress.stop();
  }
}

/** Imports the file. Returns 1 if it failed, after printing the line and the reason, else 0. */
export function importSite(flags: CommandFlags, io: Io, host: ProcessStreams = process): Promise<number> {
  return runTransfer({ name: 'import', flags, io, host }, async (task) => {
    const state = await copy(task, { io, host });
    io.err(summary(state));
  });
}
