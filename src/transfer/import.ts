// Imports documents into a store, those of the lines of an export among them. It may be repeated: documents are written by their
// ids, in batches of one commit each, and only if they differ.
import { AppError } from '../errors/errors.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { type ImportBatchResult, writeBatch } from './import-batch.ts';
import type { ImportEntry, ImportSite } from './import-entry.ts';
import { readImportLines } from './import-lines.ts';
import { formatNamespace } from './namespaces.ts';

interface ImportOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Progress of an import. */
export interface ImportState extends ImportBatchResult {
  /** Everything up to this place is stored; undefined: nothing. */
  readonly place: string | undefined;
  readonly collections: number;
}

interface ImportRun {
  /** Stops after the current batch. */
  readonly signal?: AbortSignal;
  /** Called after each batch. */
  readonly onProgress?: (state: ImportState) => void;
  /** Gets the error of each document that is left out; without it the first one ends the import. */
  readonly onRejected?: (error: AppError) => void;
}

export type EntryImporter = (entries: AsyncIterable<ImportEntry>, run?: ImportRun) => Promise<ImportState>;
export type Importer = (source: AsyncIterable<Uint8Array>, run?: ImportRun) => Promise<ImportState>;

const MAX_BATCH_SIZE = 500;
/** UTF-16 units. */
const MAX_BATCH_TEXT = 2_000_000;

const keyOf = ({ ns, document }: ImportEntry) => JSON.stringify([ns.database, ns.collection, document._id]);

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
 * Creates the importer of a store. An import resolves with its final state. It rejects with DOCUMENT_INVALID for a document that
 * the store or the source rejects, once everything before it is stored; or with the error of the store, the source or the signal.
 */
export function createEntryImporter({ store, now }: ImportOptions): EntryImporter {
  return async (source, { signal, onProgress, onRejected } = {}) => {
    const pending = createPending();
    const spaces = new Set<string>();
    let state: ImportState = { place: undefined, collections: 0, inserted: 0, updated: 0, same: 0 };
    const flush = async () => {
      const entries = pending.take();
      const last = entries.at(-1);
      if (last === undefined) return;
      signal?.throwIfAborted();
      const { inserted, updated, same } = await writeBatch(entries, { store, now, onRejected });
      for (const { ns } of entries) spaces.add(formatNamespace(ns));
      state = {
        place: last.place,
        collections: spaces.size,
        inserted: state.inserted + inserted,
        updated: state.updated + updated,
        same: state.same + same,
      };
      onProgress?.(state);
    };
    try {
      for await (const entry of source) {
        if (pending.isFullFor(entry)) await flush();
        pending.add(entry);
      }
    } catch (error) {
      // Everything before an invalid document is stored.
      if (error instanceof AppError) await flush();
      throw error;
    }
    await flush();
    return state;
  };
}

/** Creates the importer of the lines of an export, as the above. */
export function createImporter({ store, now, ...site }: ImportOptions & ImportSite): Importer {
  const importEntries = createEntryImporter({ store, now });
  return (source, run) => importEntries(readImportLines(source, site), run);
}
