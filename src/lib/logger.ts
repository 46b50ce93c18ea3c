// The log: one JSON object a line, without secrets.
import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

interface LoggerOptions {
  readonly level: string;
  /** Dotted paths of secret settings, hidden wherever a record carries a configuration. */
  readonly secrets: readonly string[];
  /** Where lines go; the standard error stream if absent. */
  readonly stream?: DestinationStream;
}

/** What a stream that takes nothing may keep waiting, in characters. Further lines are lost. */
const MAX_WAITING = 1_000_000;

/**
 * Writes lines to a file descriptor at once. A full disk or a reader that has gone loses lines and disturbs nobody:
 * what logs is often answering a request.
 */
export function createLogStream(fd: number): DestinationStream {
  return destination({ fd, sync: true, maxLength: MAX_WAITING }).on('error', () => undefined);
}

/** What carries a credential by its name, at the top of a record or one level below. */
const CREDENTIALS = ['authorization', 'secret', 'accessToken', 'password', 'cookie'];

function redactedPaths(secrets: readonly string[]): string[] {
  return [
    ...CREDENTIALS.flatMap((name) => [name, `*.${name}`]),
    ...['headers', 'req.headers'].flatMap((path) => [`${path}.authorization`, `${path}.cookie`]),
    ...secrets.flatMap((path) => [path, `config.${path}`]),
  ];
}

const CHATTY = ['trace', 'debug', 'info'];

/** The level for a command of the console: what a server tells about its day is noise under a command's own output. */
export function levelOfCommands(level: string): string {
  return CHATTY.includes(level) ? 'warn' : level;
}

/** Makes the log of one process. Errors under `err` are written with their stack and cause. */
export function createLogger({ level, secrets, stream }: LoggerOptions): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    redact: { paths: [...new Set(redactedPaths(secrets))], censor: '[redacted]' },
  };
  return pino(options, stream ?? createLogStream(2));
}
