// Reads JSON texts that were written to do harm: looked over before they are parsed, and without holding the event loop.
import type { Json } from './json.ts';
import { checkJson, type JsonFault } from './json-check.ts';
import { type JsonShape, scanInSlices, scanJson } from './json-scan.ts';
import { createSemaphore } from './semaphore.ts';
import { nextTurn } from './slices.ts';

/** The value, and what of it no store could take back; without a value the text is not JSON. */
interface ReadText {
  readonly value?: Json;
  readonly fault?: JsonFault | undefined;
}

/** `assertShape` throws for a text that is not worth parsing. */
export type ReadJsonText = (text: string, assertShape: (shape: JsonShape) => void) => Promise<ReadText>;

/** Up to here a text is read in one go. */
const SHORT = 16 * 1024;

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function finish(value: Json | undefined): ReadText {
  return value === undefined ? {} : { value, fault: checkJson(value) };
}

/** Makes a reader. Of its long texts it has one in hand at a time: several would be parsed in one turn of the event loop. */
export function createJsonTexts(): ReadJsonText {
  const inTurn = createSemaphore(1);
  const readLong: ReadJsonText = async (text, assertShape) => {
    assertShape(await scanInSlices(Buffer.from(text)));
    await nextTurn();
    const value = parse(text);
    await nextTurn();
    const read = finish(value);
    await nextTurn();
    return read;
  };
  return async (text, assertShape) => {
    if (text.length > SHORT) return inTurn(() => readLong(text, assertShape));
    assertShape(scanJson(Buffer.from(text)));
    return finish(parse(text));
  };
}
