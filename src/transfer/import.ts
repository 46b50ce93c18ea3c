// Imports the lines of an export into a store. It may be repeated: documents are written by their ids, and only if they differ.
import { AppError } from '../errors/errors.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { type ImportEntry, parseImportEntry, splitLines } from './import-lines.ts';
import { formatNamespace } from './namespaces.ts';
import { type ImportBatchResult, writeBatch } from './write-batch.ts';

interface ImportOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Each database folder has a name space of its own. */
  readonly separateDatabases: boolean;
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
export function createImporter({ store, separateDatabases, now }: ImportOptions): Importer {
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
        const entry = parseImportEntry(line, separateDatabases);
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
