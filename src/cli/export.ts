// `cloister export`: every document of the site into a file, or to the standard output.
import type { SiteTransfer } from '../cli-services.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './parse-arguments.ts';
import { createProgressBar } from './progress-bar.ts';
import { formatAmount, type ProcessStreams, runTransfer, type TransferTask } from './transfer.ts';

type Output = Awaited<ReturnType<SiteTransfer['openOutput']>>;

/** Each write waits until the reader has taken it. */
function standardOutput(stream: NodeJS.WritableStream): Output {
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(text, 'utf8', (error?: Error | null) => (error ? reject(error) : resolve()));
    });
  return { write, complete: async () => undefined, discard: async () => undefined };
}

async function copy(
  output: Output,
  { transfer, signal }: TransferTask,
  { io, host }: { io: Io; host: ProcessStreams },
) {
  const plan = await transfer.exporter.plan();
  for (const notice of plan.notices) io.err(notice);
  const progress = createProgressBar(host.stderr, plan.documents);
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
export function exportSite(flags: CommandFlags, io: Io, host: ProcessStreams = process): Promise<number> {
  return runTransfer({ name: 'export', flags, io, host }, async (task) => {
    const { transfer, file } = task;
    const output = file === undefined ? standardOutput(host.stdout) : await transfer.openOutput(file);
    try {
      const exported = await copy(output, task, { io, host });
      await output.complete();
      io.err(`exported ${exported}`);
    } catch (error) {
      await output.discard();
      throw error;
    }
  });
}
