// Parses the arguments of a host call: JSON text of the guest, which may be hostile.
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { JsonShape } from '../lib/json/json-scan.ts';
import type { ParseUntrustedJson } from '../lib/json/untrusted-json.ts';
import { MAX_ARGUMENT_BYTES } from '../sandbox-supervisor/protocol/guest-events.ts';
import { HostCallError } from './host-call-error.ts';

/** Bounds the time for which parsing and checking block the event loop. */
const MAX_VALUES = 100_000;

function assertShape({ values }: JsonShape): void {
  if (values <= MAX_VALUES) return;
  throw new HostCallError(
    'BAD_ARGUMENTS',
    `The arguments have more than ${MAX_VALUES} values, each member of an object counted as three`,
  );
}

/** Rejects with BAD_ARGUMENTS for what is no JSON object, is above 1 MB or 100,000 values, or holds what no store could take back. */
export async function parseArguments(text: string, read: ParseUntrustedJson): Promise<JsonObject> {
  if (text.length > MAX_ARGUMENT_BYTES || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) {
    throw new HostCallError('BAD_ARGUMENTS', `The arguments have more than ${MAX_ARGUMENT_BYTES} bytes`);
  }
  const { value, issue } = await read(text, assertShape);
  if (!isJsonObject(value)) throw new HostCallError('BAD_ARGUMENTS', 'The arguments cannot be read');
  if (issue !== undefined) {
    throw new HostCallError('BAD_ARGUMENTS', `\`${issue.path.slice(0, 200)}\` ${issue.message}`);
  }
  return value;
}

/** An own member; null counts as absent. */
export function getArgument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}
