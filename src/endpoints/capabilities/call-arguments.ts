// The arguments of a host call: JSON text that the guest wrote, and may have written to do harm.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { checkJson } from '../../lib/json-check.ts';
import { scanJson } from '../../lib/json-scan.ts';
import { Refusal } from './refusal.ts';

/** Bytes of UTF-8. */
const MAX_BYTES = 1024 * 1024;
/** Bounds the time for which parsing and checking block the event loop. */
const MAX_VALUES = 100_000;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws BAD_ARGUMENTS for what is no JSON object, is above 1 MB or 100,000 values, or holds what no store could take back. */
export function readArguments(text: string): JsonObject {
  if (text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES) {
    throw new Refusal('BAD_ARGUMENTS', `The arguments have more than ${MAX_BYTES} bytes`);
  }
  if (scanJson(Buffer.from(text)).values > MAX_VALUES) {
    throw new Refusal(
      'BAD_ARGUMENTS',
      `The arguments have more than ${MAX_VALUES} values, each member of an object counted as three`,
    );
  }
  const value = parse(text);
  if (!isJsonObject(value)) throw new Refusal('BAD_ARGUMENTS', 'The arguments cannot be read');
  const fault = checkJson(value);
  if (fault !== undefined) {
    throw new Refusal('BAD_ARGUMENTS', `\`${fault.path.slice(0, 200)}\` ${fault.message}`);
  }
  return value;
}

/** An own member; null counts as absent. */
export function argument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}
