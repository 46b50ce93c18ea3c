// Parses untrusted JSON: scanned before it is parsed, without blocking the event loop.

import { createSemaphore } from '../async/concurrency.ts';
import { yieldToEventLoop } from '../async/yielding.ts';
import type { Json } from './json.ts';
import { findJsonIssue, type JsonIssue } from './json-check.ts';
import { type JsonShape, scanJson, scanJsonYielding } from './json-scan.ts';

/** The value and its first issue; without a value the text is not JSON. */
interface UntrustedJson {
  readonly value?: Json;
  readonly issue?: JsonIssue | undefined;
}

/** `assertShape` throws for a text that must not be parsed. */
export type ParseUntrustedJson = (
  text: string,
  assertShape: (shape: JsonShape) => void,
) => Promise<UntrustedJson>;

/** Up to this length a text is parsed at once. */
const MAX_SHORT_LENGTH = 16 * 1024;

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function finish(value: Json | undefined): UntrustedJson {
  return value === undefined ? {} : { value, issue: findJsonIssue(value) };
}

/** Creates a parser. It parses one long text at a time, as several could end up in one turn of the event loop. */
export function createUntrustedJsonParser(): ParseUntrustedJson {
  const exclusive = createSemaphore(1);
  const readLong: ParseUntrustedJson = async (text, assertShape) => {
    assertShape(await scanJsonYielding(Buffer.from(text)));
    await yieldToEventLoop();
    const value = parse(text);
    await yieldToEventLoop();
    const read = finish(value);
    await yieldToEventLoop();
    return read;
  };
  return async (text, assertShape) => {
    if (text.length > MAX_SHORT_LENGTH) return exclusive(() => readLong(text, assertShape));
    assertShape(scanJson(Buffer.from(text)));
    return finish(parse(text));
  };
}
