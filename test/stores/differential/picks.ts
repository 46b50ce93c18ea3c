// Operands that are taken from documents which are there: by chance alone a filter would seldom find anything.
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import { idOf } from '../../contracts/store-cases.ts';

const PICK = 'pick!';
const ID = 'id!';

const RECASE: Readonly<Record<string, (text: string) => string>> = {
  same: (text) => text,
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
};

/** Stands for what some document has at `path`, in another case perhaps. */
export const pick = (path: string): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(fc.nat(20), fc.constantFrom(...Object.keys(RECASE)))
    .map(([at, recase]) => ({ [PICK]: [at, path, recase] }));

/** Stands for the id of some document. */
export const pickId: fc.Arbitrary<string> = fc.nat(20).map((at) => `${ID}${at}`);

export interface Known {
  /** As they were sent. */
  readonly bodies: readonly JsonObject[];
  readonly ids: readonly string[];
}

function picked([at, path, recase]: readonly Json[], { bodies }: Known): Json {
  let found: Json = bodies[Number(at) % bodies.length] ?? null;
  for (const name of String(path).split('.')) {
    if (found === null || typeof found !== 'object') return found;
    found = (Array.isArray(found) ? found[Number(name)] : (found as JsonObject)[name]) ?? null;
  }
  return typeof found === 'string' ? (RECASE[String(recase)]?.(found) ?? found) : found;
}

/** Puts real values in the place of what stands for them. */
export function settle(value: Json, known: Known): Json {
  if (typeof value === 'string' && value.startsWith(ID)) {
    const at = Number(value.slice(ID.length));
    return known.ids[at % known.ids.length] ?? idOf(at);
  }
  if (Array.isArray(value)) return value.map((entry) => settle(entry as Json, known));
  if (!isJsonObject(value)) return value;
  const from = value[PICK];
  if (Array.isArray(from)) return picked(from, known);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, settle(entry, known)]));
}
