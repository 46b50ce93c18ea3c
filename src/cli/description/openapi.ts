// `cloister openapi`: writes the API description, as an admin gets it, without a server.
import { resolve } from 'node:path';
import type { Io } from '../io.ts';
import { loadOrReport } from '../load-or-report.ts';
import type { CommandFlags } from '../parse-arguments.ts';

interface Host {
  readonly stdout: NodeJS.WritableStream;
}

const print = (stream: NodeJS.WritableStream, text: string) =>
  new Promise<void>((done, fail) => {
    stream.write(text, 'utf8', (error?: Error | null) => (error ? fail(error) : done()));
  });

/** Writes the description into the file, or to the standard output. Returns 1 if the configuration is invalid, else 0. */
export async function openapi(flags: CommandFlags, io: Io, host: Host = process): Promise<number> {
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const onLog = (line: string) => io.err(line.trimEnd());
  const { describeSite, openOutput } = await import('../../setup/cli-services.ts');
  const text = `${await describeSite(loaded.config, { cwd: io.cwd, onLog })}\n`;
  const { file = '-' } = flags;
  if (file === '-') {
    await print(host.stdout, text);
    return 0;
  }
  const output = await openOutput(resolve(io.cwd, file));
  try {
    await output.write(text);
    await output.complete();
  } catch (error) {
    await output.discard();
    throw error;
  }
  return 0;
}
