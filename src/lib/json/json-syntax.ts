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

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const HEXADECIMAL = /[0-9a-fA-F]{4}/y;
const CONTINUES_A_NUMBER = /[\w.+-]/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_BREAK = 0x0a;
const MIN_PLAIN_CHARACTER = 0x20;
const isSpace = (code: number) => code === 0x20 || code === LINE_BREAK || code === 0x0d || code === 0x09;

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

const EXPECTED_PLAIN =
  'expected no line break, tab or control character within text: write it as `\\n`, `\\t` or `\\u0000`';
const EXPECTED_ESCAPE =
  'expected `\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` or `\\u` and four hexadecimal digits';

/** A text within the text: where it begins, and what comes after it. */
interface OpenText {
  readonly start: number;
  readonly next: Expectation;
}

/** Walks through a text, a number of characters at a time. */
class SyntaxScan {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #expected: Expectation = 'value';
  /** What is open: true for an object, false for a list. */
  readonly #open: boolean[] = [];
  /** Space and texts may be as long as the whole: a walk pauses within them. */
  #openText: OpenText | undefined;
  #error: JsonSyntaxError | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get error(): JsonSyntaxError | undefined {
    return this.#error;
  }

  /** Takes so many characters, and the rest of a number or word. False when the text has ended, or is wrong. */
  advance(characters: number): boolean {
    const until = Math.min(this.#at + characters, this.#text.length);
    while (this.#at < until) {
      if (this.#openText !== undefined) {
        if (!this.#continueText(this.#openText, until)) return false;
      } else if (this.#skipSpace(until) && !this.#take()) return false;
    }
    return this.#at < this.#text.length || this.#finish();
  }

  /** False where there is nothing but space. */
  #skipSpace(until: number): boolean {
    let at = this.#at;
    for (; at < until; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (!isSpace(code)) break;
      if (code !== LINE_BREAK) continue;
      this.#line += 1;
      this.#lineStart = at + 1;
    }
    this.#at = at;
    return at < until;
  }

  #finish(): false {
    const { start } = this.#openText ?? {};
    if (start !== undefined) {
      this.#at = start;
      return this.#fail('expected `"` at the end of the text that begins here');
    }
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

  /** A text that `"` begins. */
  #takeText(next: Expectation): true {
    this.#openText = { start: this.#at, next };
    this.#at += 1;
    return true;
  }

  /** A loop: patterns that repeat alternatives exhaust the stack on long texts. */
  #continueText({ next }: OpenText, until: number): boolean {
    let at = this.#at;
    while (at < until) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at;
        this.#openText = undefined;
        return this.#step(next);
      }
      const length = code === BACKSLASH ? this.#escapeLength(at) : 1;
      if (length === 0 || code < MIN_PLAIN_CHARACTER) {
        this.#at = at;
        return this.#fail(length === 0 ? EXPECTED_ESCAPE : EXPECTED_PLAIN);
      }
      at += length;
    }
    this.#at = at;
    return true;
  }

  /** Characters of the escape at a backslash; 0 where it is none. */
  #escapeLength(at: number): number {
    const letter = this.#text.charAt(at + 1);
    if (letter !== 'u') return letter !== '' && '"\\/bfnrt'.includes(letter) ? 2 : 0;
    HEXADECIMAL.lastIndex = at + 2;
    return HEXADECIMAL.test(this.#text) ? 6 : 0;
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

  /** Line breaks are nowhere but in space. */
  #fail(message: string): false {
    this.#error = { line: this.#line, column: this.#at - this.#lineStart + 1, message };
    return false;
  }
}

/** Characters that are taken at once. */
const SLICE_CHARACTERS = 20_000;

/** Finds the first error; undefined for JSON. */
export function findSyntaxError(text: string): JsonSyntaxError | undefined {
  const scan = new SyntaxScan(text);
  while (scan.advance(SLICE_CHARACTERS));
  return scan.error;
}

/** The same for a text of any length, without blocking the event loop. */
export async function findSyntaxErrorYielding(text: string): Promise<JsonSyntaxError | undefined> {
  const scan = new SyntaxScan(text);
  const yieldIfDue = createYielder();
  while (scan.advance(SLICE_CHARACTERS)) await yieldIfDue();
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
