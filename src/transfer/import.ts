// Imports the lines of an export into a store. It may be repeated: documents are written by their ids, in batches of one commit
// each, and only if they differ.
import { AppError, StoreError } from '../errors/errors.ts';
import { retry } from '../lib/async/retry.ts';
import { documentVersion } from '../lib/json/stored-json.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../stores/ports.ts';
import {
  type ImportEntry,
  type ImportSite,
  importLineError,
  parseImportEntry,
  splitLines,
} from './import-lines.ts';
import { formatNamespace } from './namespaces.ts';

interface BatchOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Numbers of documents. */
export interface ImportBatchResult {
  readonly inserted: number;
  readonly updated: number;
  /** Were equal already. */
  readonly same: number;
}

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
async function compare(
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
      await compare(ns, { entries: half, planned }, options);
    }
  }
}

async function planWrites(entries: readonly ImportEntry[], options: BatchOptions): Promise<PlannedWrites> {
  const planned: PlannedWrites = new Map(entries.map((entry) => [entry, undefined]));
  const spaces = Map.groupBy(entries, ({ ns }) => JSON.stringify([ns.database, ns.collection]));
  for (const some of spaces.values()) {
    const [first] = some;
    if (first !== undefined) await compare(first.ns, { entries: some, planned }, options);
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

/**
 * Stores the documents of `entries` under their ids, which differ. Throws DOCUMENT_INVALID with the line of the first one that
 * the store rejects, once those before it are stored; or what the store throws.
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
    const before = entries.slice(0, entries.indexOf(invalid.entry));
    if (before.length > 0) await writeBatch(before, options);
    throw importLineError(invalid.entry.line, invalid.message, error);
  }
}

interface ImportOptions extends ImportSite {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Progress of an import. */
export interface ImportState extends ImportBatchResult {
  /** Every line up to this one is stored; 0 is none. */
  readonly line: number;
  readonly collections: number;
}

interface ImportRun {
  /** Stops after the current batch. */
  readonly signal?: AbortSignal;
  /** Called after each batch. */
  readonly onProgress?: (state: ImportState) => void;
}

export type Importer = (source: AsyncIterable<Uint8Array>, run?: ImportRun) => Promise<ImportState>;

const MAX_BATCH_SIZE = 500;
/** UTF-16 units. */
const MAX_BATCH_TEXT = 2_000_000;
/** The largest document has 16 MiB as BSON, and up to six times as much where its text is escaped as JSON. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

const keyOf = ({ ns, document }: ImportEntry) => JSON.stringify([ns.database, ns.collection, document._id]);
const BLANK = /^\s*$/;
const isBlank = (bytes: Uint8Array) => bytes.length < 8 && BLANK.test(Buffer.from(bytes).toString('latin1'));

/** Collects entries for one commit: up to a full batch, and no two for the same document. */
function createPending() {
  let entries = new Map<string, ImportEntry>();
  let text = 0;
  return {
    isFullFor: (entry: ImportEntry) =>
      entries.size > 0 &&
      (entries.size === MAX_BATCH_SIZE ||
        text + entry.text.length > MAX_BATCH_TEXT ||
        entries.has(keyOf(entry))),
    add(entry: ImportEntry) {
      entries.set(keyOf(entry), entry);
      text += entry.text.length;
    },
    take(): readonly ImportEntry[] {
      const taken = [...entries.values()];
      entries = new Map();
      text = 0;
      return taken;
    },
  };
}

/**
 * Creates the importer of a store. An import resolves with its final state. It rejects with DOCUMENT_INVALID for an invalid line,
 * once everything before it is stored; or with the error of the store, the source or the signal.
 */
export function createImporter({ store, now, ...site }: ImportOptions): Importer {
  return async (source, { signal, onProgress } = {}) => {
    const pending = createPending();
    const spaces = new Set<string>();
    let state: ImportState = { line: 0, collections: 0, inserted: 0, updated: 0, same: 0 };
    const flush = async () => {
      const entries = pending.take();
      const last = entries.at(-1);
      if (last === undefined) return;
      signal?.throwIfAborted();
      const { inserted, updated, same } = await writeBatch(entries, { store, now });
      for (const { ns } of entries) spaces.add(formatNamespace(ns));
      state = {
        line: last.line,
        collections: spaces.size,
        inserted: state.inserted + inserted,
        updated: state.updated + updated,
        same: state.same + same,
      };
      onProgress?.(state);
    };
    try {
      for await (const line of splitLines(source, MAX_LINE_BYTES)) {
        if (isBlank(line.bytes)) continue;
        const entry = parseImportEntry(line, site);
        if (pending.isFullFor(entry)) await flush();
        pending.add(entry);
      }
    } catch (error) {
      // Everything before an invalid line is stored.
      if (error instanceof AppError) await flush();
      throw error;
    }
    await flush();
    return state;
  };
}
