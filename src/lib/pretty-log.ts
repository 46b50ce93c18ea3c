// Formats log records for a terminal: time, level, message, fields. It prints only visible text and its own colours, whatever a
// record contains.
import { styleText } from 'node:util';
import { escapeControlCharacters } from './terminal-escape.ts';

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
