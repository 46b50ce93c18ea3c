// The places in documents where references stand: finding the ids in them, and putting documents there.
import { isId } from '../lib/ids.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import type { Collection, Field } from './collection.ts';

/** The ids on the way from the root to a document: meeting one of them again is a cycle. */
interface Trail {
  readonly id: Json | undefined;
  readonly above: Trail | undefined;
}

/** A document whose references are to be resolved. It is ours to change. */
export interface Frame {
  readonly document: Record<string, Json>;
  readonly collection: Collection;
  readonly trail: Trail;
}

/** What one request may still bring in. */
export interface Allowance {
  references: number;
  characters: number;
}

/** One Reference field of one frame. */
export interface Slot {
  readonly frame: Frame;
  readonly field: Field;
  /** The values there; `id` is set where it is to be resolved. */
  readonly entries: readonly { readonly raw: Json; readonly id?: string }[];
  readonly isList: boolean;
}

/** A referenced document, parsed once however often it is put somewhere. */
export interface Found {
  readonly document: JsonObject;
  readonly characters: number;
}

function isOnTrail(trail: Trail | undefined, id: string): boolean {
  for (let at = trail; at !== undefined; at = at.above) {
    if (at.id === id) return true;
  }
  return false;
}

/** The frame of a document that is asked for itself. */
export function rootFrame(collection: Collection, document: Record<string, Json>): Frame {
  return { document, collection, trail: { id: document['_id'], above: undefined } };
}

/**
 * The slot of a Reference field, or undefined where there is nothing to resolve. Without an allowance, or when it is
 * used up, ids stay ids; so do those that would close a cycle. Nulls leave a list.
 */
export function slotOf(frame: Frame, field: Field, allowance: Allowance | undefined): Slot | undefined {
  const value = frame.document[field.name];
  const isList = Array.isArray(value);
  const values: readonly Json[] = isList ? value : [value ?? null];
  if (!isList && !isId(value)) return undefined;
  const entries = values
    .filter((raw) => raw !== null)
    .map((raw) => {
      const id = isId(raw) ? raw.toLowerCase() : undefined;
      if (id === undefined || allowance === undefined || allowance.references === 0) return { raw };
      if (isOnTrail(frame.trail, id)) return { raw };
      allowance.references -= 1;
      return { raw, id };
    });
  return { frame, field, entries, isList };
}

/** Puts what was found into the slot and notes the ids in `composed`. Returns the documents put there. */
export function fillSlot(
  { frame, field, entries, isList }: Slot,
  found: ReadonlyMap<string, Found>,
  allowance: Allowance,
): readonly Record<string, Json>[] {
  const placed: Record<string, Json>[] = [];
  const values = entries.map(({ raw, id }) => {
    const hit = id === undefined ? undefined : found.get(id);
    if (hit === undefined || hit.characters > allowance.characters) return raw;
    allowance.characters -= hit.characters;
    const copy = { ...hit.document };
    placed.push(copy);
    return copy;
  });
  const ids = entries.map(({ raw }) => raw).filter(isId);
  const [value] = values;
  if (isList) frame.document[field.name] = values;
  else if (value !== undefined) frame.document[field.name] = value;
  if (ids.length > 0) noteIds(frame.document, field.name, isList ? ids : (ids[0] ?? null));
  return placed;
}

function noteIds(document: Record<string, Json>, name: string, ids: Json): void {
  const noted = document['composed'];
  document['composed'] = { ...(noted as JsonObject | undefined), [name]: ids };
}
