// `cloister import --from`: what an older API stored, from its database or the files of its filestore.
import type { AppError } from '../errors/errors.ts';
import { escapeLine } from '../lib/printable-text.ts';
import type { OlderData } from '../setup/transfer.ts';
import type { ImportState } from '../transfer/import.ts';
import type { Io } from './io.ts';
import { createProgressBar } from './output/progress-bar.ts';
import { type ProcessStreams, runConfigured, summary, total } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Documents that are named one by one where they are left out. */
const MAX_NAMED = 100;

interface OlderImport {
  readonly data: OlderData;
  readonly signal: AbortSignal;
  readonly io: Io;
  readonly ownProcess: ProcessStreams;
}

type Plan = Awaited<ReturnType<OlderData['reader']['plan']>>;

/** Names the documents that are left out, and counts those beyond a number of them. */
function createRejections(io: Io) {
  let count = 0;
  return {
    add(error: AppError) {
      count += 1;
      if (count <= MAX_NAMED) io.err(`left out: ${error.message}`);
    },
    count: () => count,
    report() {
      if (count > MAX_NAMED) io.err(`left out: ${(count - MAX_NAMED).toLocaleString('en')} more`);
    },
  };
}

interface Imported {
  readonly state: ImportState;
  /** Documents that were left out. */
  readonly rejected: number;
}

async function importDocuments({ data, signal, io, ownProcess }: OlderImport, plan: Plan): Promise<Imported> {
  for (const notice of plan.notices) io.err(escapeLine(notice));
  const progress = createProgressBar(ownProcess.stderr, plan.documents);
  const rejections = createRejections(io);
  const late: string[] = [];
  let state: ImportState | undefined;
  const onProgress = (next: ImportState) => {
    state = next;
    progress.update(total(next), total(next));
  };
  const onRejected = (error: AppError) => rejections.add(error);
  const entries = data.reader.entries(plan, { onRejected, notice: (text) => late.push(text) });
  try {
    const done = await data.import(entries, { signal, onProgress, onRejected });
    progress.stop();
    rejections.report();
    for (const notice of late) io.err(escapeLine(notice));
    return { state: done, rejected: rejections.count() };
  } catch (error) {
    progress.stop();
    rejections.report();
    if (state !== undefined) io.err(`${summary(state)}; the import may be repeated`);
    throw error;
  }
}

const clientsOf = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'client' : 'clients'}`;

interface ImportedClients {
  /** For the last line. */
  readonly text: string;
  /** Whether some of them need a hand. */
  readonly isComplete: boolean;
}

async function importClients({ data, signal, io }: OlderImport, plan: Plan): Promise<ImportedClients> {
  const counts = { imported: 0, present: 0, failed: 0 };
  const hasAdmin = await data.importClients(plan, {
    signal,
    onClient({ clientId, outcome, notes }) {
      counts[outcome] += 1;
      for (const note of notes)
        io.err(escapeLine(`client ${clientId === '' ? 'without an id' : clientId}: ${note}`));
    },
  });
  if (counts.imported > 0 && !hasAdmin)
    io.err('none of the clients is an admin: cloister clients add ID --admin');
  const parts = [
    ...(counts.present === 0 ? [] : [`${counts.present} there already`]),
    ...(counts.failed === 0 ? [] : [`${counts.failed} not imported`]),
  ];
  const more = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return { text: `, ${clientsOf(counts.imported)}${more}`, isComplete: counts.failed === 0 };
}

/** Imports what `--from` names. Returns 1 if it failed, or left something out, after printing what, else 0. */
export function importOlder(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  const { from = '', clients: withClients = false } = flags;
  const clientCollection = flags['client-collection'];
  return runConfigured({ name: 'import', flags, io, ownProcess }, async (config, signal) => {
    const { openOlderData } = await import('../setup/transfer.ts');
    const data = await openOlderData(config, { cwd: io.cwd, from, clientCollection });
    const task: OlderImport = { data, signal, io, ownProcess };
    try {
      const plan = await data.reader.plan();
      const { state, rejected } = await importDocuments(task, plan);
      const clients = withClients ? await importClients(task, plan) : undefined;
      const skipped =
        withClients || plan.clients === 0
          ? ''
          : `; ${clientsOf(plan.clients)} not imported: add --clients, which keeps their secrets`;
      const left = rejected === 0 ? '' : `; ${rejected.toLocaleString('en')} were left out`;
      io.err(`${summary(state)}${clients?.text ?? ''}${left}${skipped}`);
      return rejected === 0 && clients?.isComplete !== false ? 0 : 1;
    } finally {
      await data.close();
    }
  });
}
