// Brings some documents of an imported file into the store, in one commit: what is there already is left as it is.
import { StoreError } from '../errors.ts';
import { documentVersion } from '../lib/document-version.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../stores/ports.ts';
import type { ImportEntry } from './import-entry.ts';
import { lineError } from './line-error.ts';

interface BatchOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Documents. */
export interface BatchResult {
  readonly inserted: number;
  readonly updated: number;
  /** Were there already, as they are. */
  readonly same: number;
}

/** Milliseconds that one batch may take to read or to write. */
const BATCH_MS = 120_000;
/** How often a batch is tried while others write the same documents. */
const ATTEMPTS = 20;

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

type Steps = Map<ImportEntry, Write | undefined>;

/** What is to be done for each of `entries`, which belong to one name space. Halves the question if the answer is too large. */
async function compare(
  ns: Namespace,
  { entries, steps }: { readonly entries: readonly ImportEntry[]; readonly steps: Steps },
  options: BatchOptions,
): Promise<void> {
  const values = entries.map(({ document }) => document._id);
  const filter = { kind: 'field', path: '_id', tests: [{ kind: 'in', values }] } as const;
  const query = { filter, sort: [], skip: 0, limit: values.length };
  try {
    const found = await options.store.find(ns, query, { deadline: options.now() + BATCH_MS });
    const stored = new Map(found.map((document) => [document._id, document]));
    for (const entry of entries) steps.set(entry, writeFor(entry, stored.get(entry.document._id)));
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'too-much') || entries.length === 1) throw error;
    const middle = entries.length >> 1;
    for (const half of [entries.slice(0, middle), entries.slice(middle)]) {
      await compare(ns, { entries: half, steps }, options);
    }
  }
}

async function stepsFor(entries: readonly ImportEntry[], options: BatchOptions): Promise<Steps> {
  const steps: Steps = new Map(entries.map((entry) => [entry, undefined]));
  const spaces = Map.groupBy(entries, ({ ns }) => JSON.stringify([ns.database, ns.collection]));
  for (const some of spaces.values()) {
    const [first] = some;
    if (first !== undefined) await compare(first.ns, { entries: some, steps }, options);
  }
  return steps;
}

/** Somebody else wrote one of the documents between the look at it and the commit. */
function isRace({ reason, fields }: StoreError): boolean {
  return reason === 'conflict' || (reason === 'duplicate' && fields.length === 1 && fields[0] === '_id');
}

const quoted = (fields: readonly string[]) => fields.map((field) => `\`${field}\``).join(', ');

function explain({ reason, fields, explanation }: StoreError): string | undefined {
  if (reason === 'duplicate') return `another document has the same ${quoted(fields)}, which must be unique`;
  if (reason === 'parallel-arrays') return `${quoted(fields)}: only one field of an index can hold a list`;
  if (reason === 'too-large') return 'the document is larger than the database takes';
  if (reason === 'refused') {
    return fields.length === 0
      ? (explanation ?? 'the database takes no such write to this collection')
      : `${quoted(fields)}: breaks a rule that the database has for this collection`;
  }
  return reason === 'conflict' ? 'others keep writing this document' : undefined;
}

/** The entry whose write the store refused, and why; undefined for failures that no document is to blame for. */
function culpritOf(error: unknown, steps: Steps) {
  if (!(error instanceof StoreError) || error.index === undefined) return undefined;
  const written = [...steps].filter(([, write]) => write !== undefined);
  const entry = written[error.index]?.[0];
  const message = explain(error);
  return entry === undefined || message === undefined ? undefined : { entry, message, error };
}

function outcomeOf(steps: Steps): BatchResult {
  const kinds = [...steps.values()].map((write) => write?.kind);
  const count = (kind: Write['kind'] | undefined) => kinds.filter((one) => one === kind).length;
  return { inserted: count('insert'), updated: count('update'), same: count(undefined) };
}

/**
 * Makes the documents of `entries` what the store has under their ids; no two have the same one. Throws DOCUMENT_INVALID
 * with the line of the first one that the store refuses: those before it are in, or what the store throws.
 */
export async function writeBatch(
  entries: readonly ImportEntry[],
  options: BatchOptions,
): Promise<BatchResult> {
  for (let attempt = 1; ; attempt += 1) {
    const steps = await stepsFor(entries, options);
    const writes = [...steps.values()].filter((write) => write !== undefined);
    try {
      if (writes.length > 0) await options.store.commit(writes, { deadline: options.now() + BATCH_MS });
      return outcomeOf(steps);
    } catch (error) {
      if (error instanceof StoreError && isRace(error) && attempt < ATTEMPTS) continue;
      const culprit = culpritOf(error, steps);
      if (culprit === undefined) throw error;
      const before = entries.slice(0, entries.indexOf(culprit.entry));
      if (before.length > 0) await writeBatch(before, options);
      throw lineError(culprit.entry.line, culprit.message, error);
    }
  }
}
