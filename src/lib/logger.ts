// The log, without secrets: one JSON object a line for machines, or lines for people at a terminal.
import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import { createPrettyPrinter } from './pretty-log.ts';
import { escapeControlCharacters } from './terminal-escape.ts';

export type Logger = PinoLogger;

/** What most code needs of a logger. Ask for the levels that are used: `Pick<Log, 'warn'>`. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface LogOptions {
  readonly level: string;
  /** `auto` is `pretty` where the standard error stream is a terminal, else `json`. */
  readonly format: 'auto' | 'json' | 'pretty';
}

interface LoggerOptions extends LogOptions {
  /** Dotted paths of secret settings, hidden wherever a record carries a configuration. */
  readonly secrets: readonly string[];
  /** Where lines go; the standard error stream if absent. */
  readonly stream?: DestinationStream;
  /** What is known of the terminal behind it. */
  readonly terminal?: Terminal;
}

/** Of a stream that is a terminal: `hasColors` minds `NO_COLOR` and what else people set about colours. */
interface Terminal {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
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

/** The log of a command of the console: what a server tells about its day is noise under a command's own output. */
export function commandLogOptions({ level, format }: LogOptions): LogOptions {
  return { level: CHATTY.includes(level) ? 'warn' : level, format };
}

/** Each line is written at once, in either format: the last ones before the end of the process tell why. */
function formatted(stream: DestinationStream, format: LogOptions['format'], terminal: Terminal) {
  const isTerminal = terminal.isTTY === true;
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const colors = isTerminal && terminal.hasColors?.() === true;
  const print = isPretty ? createPrettyPrinter({ colors }) : escapeControlCharacters;
  return { write: (line: string) => stream.write(print(line)) };
}

/** Makes the log of one process. Errors under `err` are written with their stack and cause. */
export function createLogger(all: LoggerOptions): Logger {
  const { level, format, secrets, stream = createLogStream(2), terminal = process.stderr } = all;
  const options = {
    level,
    base: { pid: process.pid },
    redact: { paths: [...new Set(redactedPaths(secrets))], censor: '[redacted]' },
  };
  return pino(options, formatted(stream, format, terminal));
}
