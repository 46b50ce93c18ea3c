// Ids of documents of a filestore. It made UUIDs, which no path reaches and no Reference field takes: each of them becomes an id of
// the same form as ours, always the same one, wherever it stands.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const MAX_SECONDS = 0xff_ff_ff_ff;
const MAX_POSITION = 0xff_ff_ff;

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;

const hexadecimal = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/**
 * The id for a document that a filestore gave a UUID: when it was created, its position, and a part of the hash of the UUID. So ids
 * have the order in which the documents were created. Undefined for any other id.
 */
export function filestoreId(document: JsonObject): string | undefined {
  const { _id, _createdAt, createdAt, $loki, meta } = document;
  if (typeof _id !== 'string' || !UUID.test(_id)) return undefined;
  const stored = isJsonObject(meta) ? meta['created'] : undefined;
  const created = numberOf(_createdAt) ?? numberOf(createdAt) ?? numberOf(stored) ?? 0;
  const seconds = Math.min(Math.floor(created / 1000), MAX_SECONDS);
  const position = Math.min(Math.floor(numberOf($loki) ?? 0), MAX_POSITION);
  return hexadecimal(seconds, 8) + hexadecimal(position, 6) + sha256Hex(_id.toLowerCase()).slice(0, 10);
}

/** A value with the new ids in place of the old ones, as names of members too. */
export function replaceIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((element: Json) => replaceIds(element, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [ids.get(name) ?? name, replaceIds(member, ids)]),
  );
}
