// Reads JSON texts that were written to do harm: looked over before they are parsed, and without holding the event loop.

import { createSemaphore } from '../async/semaphore.ts';
import { yieldToEventLoop } from '../async/yielding.ts';
import type { Json } from './json.ts';
import { findJsonIssue, type JsonIssue } from './json-check.ts';
import { type JsonShape, scanJson, scanJsonYielding } from './json-scan.ts';

/** The value, and what of it no store could take back; without a value the text is not JSON. */
interface UntrustedJson {
  readonly value?: Json;
  readonly issue?: JsonIssue | undefined;
}

/** `assertShape` throws for a text that is not worth parsing. */
export type ParseUntrustedJson = (
  text: string,
  assertShape: (shape: JsonShape) => void,
) => Promise<UntrustedJson>;

/** Up to here a text is read in one go. */
const SHORT = 16 * 1024;

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

/** Makes a reader. Of its long texts it has one in hand at a time: several would be parsed in one turn of the event loop. */
export function createUntrustedJsonParser(): ParseUntrustedJson {
  const inTurn = createSemaphore(1);
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
    if (text.length > SHORT) return inTurn(() => readLong(text, assertShape));
    assertShape(scanJson(Buffer.from(text)));
    return finish(parse(text));
  };
}
