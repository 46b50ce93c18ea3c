// The arguments of a host call: JSON text that the guest wrote, and may have written to do harm.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { JsonShape } from '../../lib/json-scan.ts';
import type { ReadJsonText } from '../../lib/json-texts.ts';
import { MAX_ARGUMENT_BYTES } from '../hosts/event-sizes.ts';
import { Refusal } from './refusal.ts';

/** Bounds the time for which parsing and checking block the event loop. */
const MAX_VALUES = 100_000;

function assertShape({ values }: JsonShape): void {
  if (values <= MAX_VALUES) return;
  throw new Refusal(
    'BAD_ARGUMENTS',
    `The arguments have more than ${MAX_VALUES} values, each member of an object counted as three`,
  );
}

/** Rejects with BAD_ARGUMENTS for what is no JSON object, is above 1 MB or 100,000 values, or holds what no store could take back. */
export async function readArguments(text: string, read: ReadJsonText): Promise<JsonObject> {
  if (text.length > MAX_ARGUMENT_BYTES || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) {
    throw new Refusal('BAD_ARGUMENTS', `The arguments have more than ${MAX_ARGUMENT_BYTES} bytes`);
  }
  const { value, fault } = await read(text, assertShape);
  if (!isJsonObject(value)) throw new Refusal('BAD_ARGUMENTS', 'The arguments cannot be read');
  if (fault !== undefined) {
    throw new Refusal('BAD_ARGUMENTS', `\`${fault.path.slice(0, 200)}\` ${fault.message}`);
  }
  return value;
}

/** An own member; null counts as absent. */
export function argument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}
