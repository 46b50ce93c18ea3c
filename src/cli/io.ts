// What a command may touch of the process: two streams of lines and its surroundings.
import type { Environment } from '../config/environment.ts';
import { escapeControlCharacters } from '../lib/terminal-escape.ts';

export interface Io {
  /** A line of the command's own output. */
  out(line: string): void;
  /** A line about what went wrong. */
  err(line: string): void;
  /** The run directory. */
  readonly cwd: string;
  /** That of the process if absent. */
  readonly env?: Environment | undefined;
}

interface LineStream {
  write(text: string): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** Lines into two streams; what others wrote in them steers no terminal. A reader that went away (`| head`) ends nothing. */
export function createIo(streams: { stdout: LineStream; stderr: LineStream }, cwd: string): Io {
  const { stdout, stderr } = streams;
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return {
    out: (line) => void stdout.write(`${escapeControlCharacters(line)}\n`),
    err: (line) => void stderr.write(`${escapeControlCharacters(line)}\n`),
    cwd,
  };
}
