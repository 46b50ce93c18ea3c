// `cloister openapi`: the API description, without a server.
import { resolve } from 'node:path';
import { type Io, loadOrReport } from './io.ts';
import { type ProcessStreams, standardOutput } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Writes the API description into the file, or to the standard output. Returns 1 if the configuration is invalid, else 0. */
export async function writeOpenApi(
  flags: CommandFlags,
  io: Io,
  ownProcess: Pick<ProcessStreams, 'stdout'> = process,
): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { describeSite, writeDescription } = await import('../setup/site-description.ts');
  const onLog = (line: string) => io.err(line.trimEnd());
  const text = `${await describeSite(loaded.config, { cwd: io.cwd, onLog })}\n`;
  const { file = '-' } = flags;
  if (file === '-') await standardOutput(ownProcess.stdout).write(text);
  else await writeDescription(resolve(io.cwd, file), text);
  return 0;
}
