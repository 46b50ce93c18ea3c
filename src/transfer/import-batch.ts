// Writes a batch of an import: documents are compared with what the store has under their ids, and written in one commit if they
// differ.
import { type AppError, StoreError } from '../errors/errors.ts';
import { retry } from '../lib/async/retry.ts';
import { documentVersion } from '../lib/json/stored-json.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../stores/ports.ts';
import { type ImportEntry, importError } from './import-entry.ts';

interface BatchOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Gets the error of each document that is left out; without it the first one ends the import. */
  readonly onRejected?: ((error: AppError) => void) | undefined;
}

/** Numbers of documents. */
export interface ImportBatchResult {
  readonly inserted: number;
  readonly updated: number;
  /** Were equal already. */
  readonly same: number;
}

const NOTHING: ImportBatchResult = { inserted: 0, updated: 0, same: 0 };

/** Time limit for reading or writing one batch, in milliseconds. */
const BATCH_TIMEOUT_MS = 120_000;
/** Attempts of a batch while others write the same documents. */
const MAX_ATTEMPTS = 20;

/** Top-level fields in which the two differ. */
function changedFields(stored: StoredDocument, document: StoredDocument): readonly string[] {
  const value = (from: StoredDocument, name: string) =>
    Object.hasOwn(from, name) ? JSON.stringify(from[name]) : undefined;
  const names = new Set([...Object.keys(stored), ...Object.keys(document)]);
  return [...names].filter((name) => value(stored, name) !== value(document, name));
}

function writeFor(
  { ns, document, text }: ImportEntry,
  stored: StoredDocument | undefined,
): Write | undefined {
  if (stored === undefined) return { kind: 'insert', ns, document, text };
  const changed = changedFields(stored, document);
  if (changed.length === 0) return undefined;
  return { kind: 'update', ns, id: document._id, v: documentVersion(stored), document, changed, text };
}

type PlannedWrites = Map<ImportEntry, Write | undefined>;

/** Plans the write of each of `entries`, which belong to one namespace. Splits the query in half if the result is too large. */
async function planNamespace(
  ns: Namespace,
  { entries, planned }: { readonly entries: readonly ImportEntry[]; readonly planned: PlannedWrites },
  options: BatchOptions,
): Promise<void> {
  const values = entries.map(({ document }) => document._id);
  const filter = { kind: 'field', path: '_id', tests: [{ kind: 'in', values }] } as const;
  const query = { filter, sort: [], skip: 0, limit: values.length };
  try {
    const found = await options.store.find(ns, query, { deadline: options.now() + BATCH_TIMEOUT_MS });
    const stored = new Map(found.map((document) => [document._id, document]));
    for (const entry of entries) planned.set(entry, writeFor(entry, stored.get(entry.document._id)));
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'too-much') || entries.length === 1) throw error;
    const middle = entries.length >> 1;
    for (const half of [entries.slice(0, middle), entries.slice(middle)]) {
      await planNamespace(ns, { entries: half, planned }, options);
    }
  }
}

async function planWrites(entries: readonly ImportEntry[], options: BatchOptions): Promise<PlannedWrites> {
  const planned: PlannedWrites = new Map(entries.map((entry) => [entry, undefined]));
  const spaces = Map.groupBy(entries, ({ ns }) => JSON.stringify([ns.database, ns.collection]));
  for (const some of spaces.values()) {
    const [first] = some;
    if (first !== undefined) await planNamespace(first.ns, { entries: some, planned }, options);
  }
  return planned;
}

/** True if another client wrote one of the documents between the read and the commit. */
function isRace(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  const { reason, fields } = error;
  return reason === 'conflict' || (reason === 'duplicate' && fields.length === 1 && fields[0] === '_id');
}

const quoted = (fields: readonly string[]) => fields.map((field) => `\`${field}\``).join(', ');

function explain({ reason, fields, explanation }: StoreError): string | undefined {
  if (reason === 'duplicate') return `another document has the same ${quoted(fields)}, which must be unique`;
  if (reason === 'parallel-arrays') {
    return `${quoted(fields)}: ${explanation ?? 'only one field of an index can hold a list'}`;
  }
  if (reason === 'too-large') return 'the document is larger than the database takes';
  if (reason === 'refused') {
    return fields.length === 0
      ? (explanation ?? 'the database takes no such write to this collection')
      : `${quoted(fields)}: breaks a rule that the database has for this collection`;
  }
  return reason === 'conflict' ? 'others keep writing this document' : undefined;
}

/** The entry whose write the store rejected, and why; undefined for errors that no document causes. */
function findInvalidEntry(error: unknown, planned: PlannedWrites) {
  if (!(error instanceof StoreError) || error.index === undefined) return undefined;
  const written = [...planned].filter(([, write]) => write !== undefined);
  const entry = written[error.index]?.[0];
  const message = explain(error);
  return entry === undefined || message === undefined ? undefined : { entry, message, error };
}

function countResult(planned: PlannedWrites): ImportBatchResult {
  const kinds = [...planned.values()].map((write) => write?.kind);
  const count = (kind: Write['kind'] | undefined) => kinds.filter((one) => one === kind).length;
  return { inserted: count('insert'), updated: count('update'), same: count(undefined) };
}

const addResults = (one: ImportBatchResult, other: ImportBatchResult): ImportBatchResult => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  same: one.same + other.same,
});

/**
 * Stores the documents of `entries` under their ids, which differ. Throws DOCUMENT_INVALID with the place of the first one that
 * the store rejects, once those before it are stored; with `onRejected` it is left out. Throws what the store throws.
 */
export async function writeBatch(
  entries: readonly ImportEntry[],
  options: BatchOptions,
): Promise<ImportBatchResult> {
  let planned: PlannedWrites = new Map();
  const attempt = async (): Promise<ImportBatchResult> => {
    planned = await planWrites(entries, options);
    const writes = [...planned.values()].filter((write) => write !== undefined);
    if (writes.length > 0) await options.store.commit(writes, { deadline: options.now() + BATCH_TIMEOUT_MS });
    return countResult(planned);
  };
  try {
    return await retry(attempt, { shouldRetry: isRace, maxAttempts: MAX_ATTEMPTS });
  } catch (error) {
    const invalid = findInvalidEntry(error, planned);
    if (invalid === undefined) throw error;
    const at = entries.indexOf(invalid.entry);
    const before = await writeSome(entries.slice(0, at), options);
    const rejection = importError(invalid.entry.place, invalid.message, error);
    if (options.onRejected === undefined) throw rejection;
    options.onRejected(rejection);
    return addResults(before, await writeSome(entries.slice(at + 1), options));
  }
}

const writeSome = async (entries: readonly ImportEntry[], options: BatchOptions) =>
  entries.length === 0 ? NOTHING : writeBatch(entries, options);
