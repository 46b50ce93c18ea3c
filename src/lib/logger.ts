// The logger: JSON lines or, at a terminal, text that shows control characters. Secrets are redacted. Also a throttle for
// events that may happen too often to log each.

import { styleText } from 'node:util';
import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import { escapeControlCharacters } from './printable-text.ts';

interface PrettyOptions {
  readonly colors: boolean;
}

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<number, { readonly name: string; readonly style: Style }>> = {
  10: { name: 'TRACE', style: 'gray' },
  20: { name: 'DEBUG', style: 'blue' },
  30: { name: 'INFO', style: 'green' },
  40: { name: 'WARN', style: 'yellow' },
  50: { name: 'ERROR', style: 'red' },
  60: { name: 'FATAL', style: ['bold', 'red'] },
};
const LEVEL_WIDTH = 5;

const CONTROL_PICTURES = 0x2400;
const NEW_LINE = '␊';
/** One escape sequence of JSON text. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/gi;
const SHORT = new Map([...'bfnrt'].map((letter, at) => [`\\${letter}`, '\b\f\n\r\t'.charCodeAt(at)]));

/** Replaces control characters in the keys and values of JSON text by visible ones. */
function visible(json: string): string {
  return escapeControlCharacters(json).replace(ESCAPE, (sequence, hex?: string) => {
    const code = hex === undefined ? SHORT.get(sequence) : Number.parseInt(hex, 16);
    if (code === undefined) return sequence;
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    const char = String.fromCharCode(code);
    return escapeControlCharacters(char) === char ? sequence : '\ufffd';
  });
}

type Fields = Readonly<Record<string, unknown>>;

function timeOf(time: unknown): string {
  const date = new Date(Number(time));
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return Number.isNaN(date.getTime()) ? '' : `${date.toTimeString().slice(0, 8)}.${ms}`;
}

/** `key=value`; a text without special characters is not quoted. */
function fieldText([key, value]: [string, unknown]): string {
  const bare = typeof value === 'string' && /^[^\s"={}[\],]+$/.test(value);
  return `${key}=${bare ? value : JSON.stringify(value)}`;
}

/** The stack, which includes the message, on indented lines. */
function stackLines(error: unknown): string {
  const { stack, message } = (typeof error === 'object' && error !== null ? error : {}) as Fields;
  const text = String(stack ?? message ?? error);
  return text
    .split(NEW_LINE)
    .map((line) => `\n    ${line}`)
    .join('');
}

/** Creates the function that formats one line of JSON from pino. */
export function createPrettyPrinter({ colors }: PrettyOptions): (line: string) => string {
  const paint = (style: Style, text: string) =>
    colors ? styleText(style, text, { validateStream: false }) : text;
  return (line) => {
    const { level, time, pid: _pid, msg, err, ...fields } = JSON.parse(visible(line)) as Fields;
    const { name, style } = LEVELS[Number(level)] ?? { name: String(level), style: 'gray' };
    const described = Object.entries(fields).map(fieldText).join(' ');
    const parts = [
      paint('gray', timeOf(time)),
      paint(style, name.padEnd(LEVEL_WIDTH)),
      ...(msg === undefined ? [] : [String(msg)]),
      ...(described === '' ? [] : [paint('gray', described)]),
    ];
    const stack = err === undefined ? '' : paint('gray', stackLines(err));
    return `${parts.join(' ')}${stack}\n`;
  };
}

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

interface LogThrottleOptions {
  /** Milliseconds for which a key is suppressed after it was logged. */
  readonly everyMs: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/** Fields to log; undefined if the line is suppressed. */
export type LogThrottle = (key: string) => { readonly suppressed: number } | undefined;

interface Entry {
  readonly until: number;
  suppressed: number;
}

/**
 * Lets one line of each key through every `everyMs` milliseconds, with the number of lines suppressed before it. Use a fixed
 * set of keys: they are never removed.
 */
export function createLogThrottle({ everyMs, now }: LogThrottleOptions): LogThrottle {
  const entries = new Map<string, Entry>();
  return (key) => {
    const at = now();
    const last = entries.get(key);
    if (last !== undefined && at < last.until) {
      last.suppressed += 1;
      return undefined;
    }
    entries.set(key, { until: at + everyMs, suppressed: 0 });
    return { suppressed: last?.suppressed ?? 0 };
  };
}
