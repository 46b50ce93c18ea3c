// Adapts writes to values of non-JSON types that other programs have stored: a date becomes a BSON date where the collection
// has dates at that path, so that all of them sort and compare alike; and a unique index is checked for the other type,
// which the index keeps as a value of its own although readers see one.

import type { Document } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { parsePath, readField } from '../../matching/paths.ts';
import { type Namespace, namespaceKey, type StoredDocument, type Write } from '../../ports.ts';
import { toBsonId } from '../bson/bson-conversion.ts';
import type { IndexCache, KnownIndex, OperationScope } from '../connection/types.ts';
import { dateOf, storedForms } from '../filters/stored-values.ts';
import { runRead } from '../query/read-command.ts';
import { isServerPath } from '../query/sort-and-projection.ts';
import type { TypeProbe } from '../query/type-probe.ts';
import { writtenId } from './write-operations.ts';

interface DuplicateCheckDeps {
  readonly indexes: IndexCache;
  readonly typeProbe: TypeProbe;
}

/**
 * Rejects with `duplicate` if another document has, in another type, the value of a written one in a unique index.
 */
export async function assertNoNonJsonDuplicates(
  scope: OperationScope,
  writes: readonly Write[],
  { indexes, typeProbe }: DuplicateCheckDeps,
): Promise<void> {
  for (const [index, write] of writes.entries()) {
    if (write.kind === 'remove') continue;
    for (const known of indexes.of(write.ns)) {
      const query = known.definition.unique
        ? await duplicateQuery(scope, { write, known }, typeProbe)
        : undefined;
      if (query === undefined) continue;
      const { collectionName } = scope.collection(write.ns);
      const others = { ...query, _id: { $nin: writes.map((one) => toBsonId(writtenId(one))) } };
      const command = { find: collectionName, filter: others, limit: 1, singleBatch: true };
      const answer = await runRead(scope, write.ns, { ...command, collation: { locale: 'simple' } });
      if (answer['cursor'].firstBatch.length === 0) continue;
      throw new StoreError('duplicate', { index, fields: known.definition.keys.map(({ path }) => path) });
    }
  }
}

/** Undefined where no type but our own can be in the way. */
async function duplicateQuery(
  scope: OperationScope,
  { write, known }: { readonly write: Exclude<Write, { kind: 'remove' }>; readonly known: KnownIndex },
  typeProbe: TypeProbe,
): Promise<Document | undefined> {
  const query: Record<string, unknown> = {};
  let isMixed = false;
  for (const { path } of known.definition.keys) {
    const value = valueAt(write.document, path);
    if (!isServerPath(path) || typeof value === 'object') return undefined;
    const forms = storedForms(asJson(value), false);
    query[path] = { $in: forms };
    if (typeof value !== 'string' || forms.length < 2) continue;
    const fieldPath = { ns: write.ns, path };
    isMixed ||=
      (await typeProbe.has(scope, fieldPath, 'dates')) || (await typeProbe.has(scope, fieldPath, 'others'));
  }
  return isMixed ? query : undefined;
}

const asJson = (value: Json | undefined): Json => value ?? null;

function valueAt(document: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const part of parsePath(path)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = readField(value as JsonObject, part);
  }
  return value === null ? undefined : value;
}

/** Matches documents that may contain such a text, without parsing. */
const MAY_HOLD_DATES = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/;

/** Paths of one commit that are probed; dates at further paths stay text. */
const MAX_PATHS = 64;

/** Time limit of one probe, in milliseconds: without an index it would scan the collection. */
const DATE_PROBE_TIMEOUT_MS = 200;

type DocumentWrite = Exclude<Write, { kind: 'remove' }>;

const pathKey = (ns: Namespace, path: string) => `${namespaceKey(ns)}\0${path}`;

/** The same writes, with dates of the driver in place of text where the collection has dates. */
export async function withStoredDates(
  scope: OperationScope,
  writes: readonly Write[],
  typeProbe: TypeProbe,
): Promise<readonly Write[]> {
  const candidates = writes.filter(mayHoldDates);
  if (candidates.length === 0) return writes;
  const paths = new Map<string, { readonly ns: Namespace; readonly path: string }>();
  for (const { ns, document } of candidates) {
    convertDates(document, '', (path) => {
      if (paths.size < MAX_PATHS) paths.set(pathKey(ns, path), { ns, path });
      return false;
    });
  }
  const dated = new Set<string>();
  await Promise.all(
    [...paths].map(async ([key, fieldPath]) => {
      if (await typeProbe.has(scope, fieldPath, 'dates', DATE_PROBE_TIMEOUT_MS)) dated.add(key);
    }),
  );
  if (dated.size === 0) return writes;
  const chosen = new Set<Write>(candidates);
  return writes.map((write) => {
    if (write.kind === 'remove' || !chosen.has(write)) return write;
    const isDated = (path: string) => dated.has(pathKey(write.ns, path));
    // The driver serializes a `Date`, and nothing reads the document before.
    return { ...write, document: convertDates(write.document, '', isDated) as unknown as StoredDocument };
  });
}

function mayHoldDates(write: Write): write is DocumentWrite {
  if (write.kind === 'remove' || write.ns.collection.startsWith('cloister.')) return false;
  return MAY_HOLD_DATES.test(write.text ?? JSON.stringify(write.document));
}

/** The value with dates of the driver in place of text, at the paths that are dated. */
function convertDates(value: Json, path: string, isDated: (path: string) => boolean): unknown {
  if (typeof value === 'string') {
    const date = dateOf(value);
    return date !== undefined && isServerPath(path) && isDated(path) ? date : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => convertDates(one, path, isDated));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      convertDates(member as Json, joinPath(path, name), isDated),
    ]),
  );
}

/** No plain path where a name has a dot in it: such names stay text. */
const joinPath = (path: string, name: string) =>
  `${path === '' ? '' : `${path}.`}${name.includes('.') ? '' : name}`;
