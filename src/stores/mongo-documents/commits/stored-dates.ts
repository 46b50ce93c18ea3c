// Stores a date as a BSON date where other programs have stored dates at that path, so that all of them sort and compare
// alike. Elsewhere a date stays text.
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { namespaceKey } from '../../namespace.ts';
import type { Namespace, StoredDocument, Write } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { dateOf } from '../filters/non-json-values.ts';
import { isServerPath } from '../query/sort.ts';
import type { TypeProbe } from '../query/type-probe.ts';

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
    visitDatePaths(document, '', (path) => {
      if (paths.size < MAX_PATHS) paths.set(pathKey(ns, path), { ns, path });
      return paths.size < MAX_PATHS;
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

/** Calls `found` with the path of each text of a date, until it returns false. */
function visitDatePaths(value: Json, path: string, found: (path: string) => boolean): boolean {
  if (typeof value === 'string') return dateOf(value) === undefined || !isServerPath(path) || found(path);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value))
    return (value as readonly Json[]).every((one) => visitDatePaths(one, path, found));
  return Object.entries(value as JsonObject).every(([name, member]) =>
    visitDatePaths(member, joinPath(path, name), found),
  );
}

function convertDates(value: Json, path: string, isDated: (path: string) => boolean): unknown {
  if (typeof value === 'string') return isDated(path) ? (dateOf(value) ?? value) : value;
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
