// Finds where a text stops being JSON, and what was expected there. The parser of the platform quotes the text in some of its
// messages, which may hold a secret: nothing of the text is in these.
import { createYielder } from '../async/maybe-promise.ts';
import type { Json } from './json.ts';

export interface JsonSyntaxError {
  /** From 1. */
  readonly line: number;
  /** In UTF-16 code units, from 1. */
  readonly column: number;
  /** What was expected there, as a part of a sentence. */
  readonly message: string;
}

/** The place, and what was expected there. */
export const describePlace = ({ line, column, message }: JsonSyntaxError): string =>
  `line ${line}, column ${column}: ${message}`;

/** What is said of a text; without the line where others name it. */
export function describeSyntaxError(error: JsonSyntaxError, withLine = true): string {
  const place = withLine ? describePlace(error) : `column ${error.column}: ${error.message}`;
  return `is not valid JSON: ${place}`;
}

/** What may come next. */
type Expectation = 'value' | 'element or end' | 'name or end' | 'name' | 'colon' | 'comma or end' | 'end';

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const CONTINUES_A_NUMBER = /[\w.+-]/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MIN_PLAIN_CHARACTER = 0x20;

const TEXT_EXAMPLE = 'in double quotes';
const WORDS: Readonly<Record<Expectation, string>> = {
  value: 'expected a value',
  'element or end': 'expected a value or `]`',
  'name or end': `expected a name ${TEXT_EXAMPLE} or \`}\``,
  name: `expected a name ${TEXT_EXAMPLE}`,
  colon: 'expected `:`',
  'comma or end': 'expected `,`',
  end: 'expected the end, as the value is complete',
};

/** Walks through a text, a number of tokens at a time. */
class SyntaxScan {
  readonly #text: string;
  #at = 0;
  #expected: Expectation = 'value';
  /** What is open: true for an object, false for a list. */
  readonly #open: boolean[] = [];
  #error: JsonSyntaxError | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get error(): JsonSyntaxError | undefined {
    return this.#error;
  }

  /** Takes so many tokens. False when the text has ended, or is wrong. */
  advance(tokens: number): boolean {
    for (let taken = 0; taken < tokens; taken += 1) {
      this.#skip(SPACE);
      if (this.#at >= this.#text.length) return this.#finish();
      if (!this.#take()) return false;
    }
    return true;
  }

  #finish(): false {
    if (this.#expected !== 'end') this.#fail(`${this.#words()}, but the text ends`);
    return false;
  }

  #take(): boolean {
    const character = this.#text[this.#at];
    switch (this.#expected) {
      case 'colon':
        return character === ':' ? this.#step('value') : this.#fail(this.#words());
      case 'name':
      case 'name or end':
        if (character === '"') return this.#takeText('colon');
        return character === '}' && this.#expected === 'name or end'
          ? this.#close()
          : this.#fail(this.#words());
      case 'comma or end': {
        const isObject = this.#open.at(-1) === true;
        if (character === ',') return this.#step(isObject ? 'name' : 'value');
        return character === (isObject ? '}' : ']') ? this.#close() : this.#fail(this.#words());
      }
      case 'end':
        return this.#fail(this.#words());
      default:
        if (character === ']' && this.#expected === 'element or end') return this.#close();
        return this.#takeValue(character);
    }
  }

  #takeValue(character: string | undefined): boolean {
    if (character === '"') return this.#takeText(this.#afterValue());
    if (character === '{' || character === '[') {
      this.#open.push(character === '{');
      return this.#step(character === '{' ? 'name or end' : 'element or end');
    }
    if (this.#skip(WORD)) return this.#leave();
    if (this.#text.startsWith("'", this.#at))
      return this.#fail(`${this.#words()}, with text ${TEXT_EXAMPLE}`);
    const start = this.#at;
    if (this.#skip(NUMBER) && !CONTINUES_A_NUMBER.test(this.#text[this.#at] ?? '')) return this.#leave();
    this.#at = start;
    const isNumber = /[-+.\d]/.test(character ?? '');
    return this.#fail(isNumber ? 'expected a number such as 0, -1.5 or 2e3' : this.#words());
  }

  /** A text that `"` begins. A loop: patterns that repeat alternatives exhaust the stack on long texts. */
  #takeText(next: Expectation): boolean {
    const start = this.#at;
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) return this.#step(next);
      if (code < MIN_PLAIN_CHARACTER) {
        return this.#fail(
          'expected no line break, tab or control character within text: write it as `\\n`, `\\t` or `\\u0000`',
        );
      }
      if (code !== BACKSLASH) this.#at += 1;
      else if (!this.#skip(ESCAPE)) {
        return this.#fail(
          'expected `\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` or `\\u` and four hexadecimal digits',
        );
      }
    }
    this.#at = start;
    return this.#fail('expected `"` at the end of the text that begins here');
  }

  #afterValue(): Expectation {
    return this.#open.length === 0 ? 'end' : 'comma or end';
  }

  #leave(): true {
    this.#expected = this.#afterValue();
    return true;
  }

  #close(): true {
    this.#open.pop();
    return this.#step(this.#afterValue());
  }

  #step(next: Expectation): true {
    this.#at += 1;
    this.#expected = next;
    return true;
  }

  /** True where the pattern matches something. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found !== '';
  }

  #words(): string {
    if (this.#expected !== 'comma or end') return WORDS[this.#expected];
    return `${WORDS[this.#expected]} or \`${this.#open.at(-1) === true ? '}' : ']'}\``;
  }

  #fail(message: string): false {
    const before = this.#text.slice(0, this.#at);
    const lineStart = before.lastIndexOf('\n') + 1;
    let line = 1;
    for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1;
    this.#error = { line, column: this.#at - lineStart + 1, message };
    return false;
  }
}

/** Tokens that are taken at once. */
const SLICE_TOKENS = 10_000;

/** Finds the first error; undefined for JSON. */
export function findSyntaxError(text: string): JsonSyntaxError | undefined {
  const scan = new SyntaxScan(text);
  while (scan.advance(SLICE_TOKENS));
  return scan.error;
}

/** The same for a text of any length, without blocking the event loop. */
export async function findSyntaxErrorYielding(text: string): Promise<JsonSyntaxError | undefined> {
  const scan = new SyntaxScan(text);
  const yieldIfDue = createYielder();
  while (scan.advance(SLICE_TOKENS)) await yieldIfDue();
  return scan.error;
}

/** The error of a text that the platform refuses, and in which nothing is found: there is no such text. */
const UNKNOWN_PLACE: JsonSyntaxError = { line: 1, column: 1, message: 'expected a value' };

/** The value of a JSON text, or where it is wrong. */
export type ParsedJson = { readonly value: Json } | { readonly error: JsonSyntaxError };

/** Parses a text whole, for files and other texts that are no bodies. */
export function parseJsonText(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return { error: findSyntaxError(text) ?? UNKNOWN_PLACE };
  }
}
