// The logger: JSON lines or, at a terminal, readable lines. Secrets are redacted.
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

/** The terminal of a stream. `hasColors` respects `NO_COLOR` and the like. */
interface Terminal {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** Characters that may wait for a blocked stream. Further lines are dropped. */
const MAX_BUFFERED = 1_000_000;

/**
 * Writes lines to a file descriptor synchronously. A full disk or a closed pipe loses lines and is otherwise ignored, so
 * that it fails no request.
 */
export function createLogStream(fd: number): DestinationStream {
  return destination({ fd, sync: true, maxLength: MAX_BUFFERED }).on('error', () => undefined);
}

/** Names of members with credentials, at the top of a record or one level below. */
const CREDENTIALS = ['authorization', 'secret', 'accessToken', 'password', 'cookie'];

function redactedPaths(secrets: readonly string[]): string[] {
  return [
    ...CREDENTIALS.flatMap((name) => [name, `*.${name}`]),
    ...['headers', 'req.headers'].flatMap((path) => [`${path}.authorization`, `${path}.cookie`]),
    ...secrets.flatMap((path) => [path, `config.${path}`]),
  ];
}

const INFORMATIVE_LEVELS = ['trace', 'debug', 'info'];

/** The log options of a CLI command, whose own output replaces informative lines. */
export function commandLogOptions({ level, format }: LogOptions): LogOptions {
  return { level: INFORMATIVE_LEVELS.includes(level) ? 'warn' : level, format };
}

/** Writes each line synchronously: the last ones before a crash say why. */
function formatted(stream: DestinationStream, format: LogOptions['format'], terminal: Terminal) {
  const isTerminal = terminal.isTTY === true;
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const colors = isTerminal && terminal.hasColors?.() === true;
  const print = isPretty ? createPrettyPrinter({ colors }) : escapeControlCharacters;
  return { write: (line: string) => stream.write(print(line)) };
}

/** Creates the logger of a process. Errors under `err` are written with their stack and cause. */
export function createLogger(all: LoggerOptions): Logger {
  const { level, format, secrets, stream = createLogStream(2), terminal = process.stderr } = all;
  const options = {
    level,
    base: { pid: process.pid },
    redact: { paths: [...new Set(redactedPaths(secrets))], censor: '[redacted]' },
  };
  return pino(options, formatted(stream, format, terminal));
}
