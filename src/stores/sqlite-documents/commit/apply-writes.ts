// Applies the writes of one commit in one transaction: documents, index rows and the counters of the catalogue.
import { StoreError } from '../../../errors/errors.ts';
import { documentVersion } from '../../../lib/json/stored-json.ts';
import type { StoredDocument, Write } from '../../ports.ts';
import { type CollectionEntry, documentTable, inWriteTransaction } from '../data-file/catalogue.ts';
import { parseDocument, type WorkLimit } from '../data-file/connection.ts';
import { updateIndex, type WriteContext } from '../indexes/index-update.ts';

/** Longest document in UTF-16 units. The domain has a lower limit; this one protects the store. */
const MAX_DOCUMENT_TEXT = 64 * 1024 * 1024;

/**
 * Applies `writes` in order, all or nothing. Throws a StoreError with the index of the failed write,
 * or what `workLimit` throws.
 */
export function applyWrites(context: WriteContext, writes: Iterable<Write>, workLimit: WorkLimit): void {
  inWriteTransaction(context, () => {
    const changed = new Set<CollectionEntry>();
    let index = 0;
    for (const write of writes) {
      workLimit.tick(0);
      changed.add(applyWrite(context, write, { index, workLimit }));
      index += 1;
    }
    for (const entry of changed) {
      entry.writes += 1;
      context.catalogue.save(entry);
    }
  });
}

function applyWrite(
  context: WriteContext,
  write: Write,
  step: { readonly index: number; readonly workLimit: WorkLimit },
) {
  try {
    if (write.kind === 'insert') return insert(context, write, step.workLimit);
    if (write.kind === 'update') return update(context, write, step.workLimit);
    return remove(context, write, step.workLimit);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { reason, fields, explanation, cause } = error;
    throw new StoreError(reason, {
      index: step.index,
      fields,
      cause,
      ...(explanation !== undefined && { explanation }),
    });
  }
}

function serializeDocument(document: StoredDocument, text: string | undefined): string {
  const result = text ?? JSON.stringify(document);
  if (result.length > MAX_DOCUMENT_TEXT) throw new StoreError('too-large');
  return result;
}

function insert(
  context: WriteContext,
  write: Extract<Write, { kind: 'insert' }>,
  workLimit: WorkLimit,
): CollectionEntry {
  const entry = context.catalogue.ensure(write.ns);
  const text = serializeDocument(write.document, write.text);
  const result = context.insertDocument(entry.n).run(write.document._id, text);
  if (Number(result.changes) === 0) throw new StoreError('duplicate', { fields: ['_id'] });
  const doc = Number(result.lastInsertRowid);
  for (const index of entry.indexes) {
    updateIndex(context, index, { doc, before: undefined, after: write.document, workLimit });
  }
  entry.documents += 1;
  return updateSize(entry, 0, text.length);
}

interface StoredRow {
  readonly entry: CollectionEntry;
  readonly doc: number;
  readonly text: string;
  readonly document: StoredDocument;
}

/** Loads the document that `write` changes. Throws `conflict` if its version is not `write.v` or it does not exist. */
function loadExpected(
  context: WriteContext,
  write: Extract<Write, { kind: 'update' | 'remove' }>,
): StoredRow {
  const entry = context.catalogue.get(write.ns);
  if (entry === undefined) throw new StoreError('conflict');
  const sql = `select doc, json from ${documentTable(entry.n)} where id = ?`;
  const row = context.connection.statement(sql).get(write.id) as unknown as [number, string] | undefined;
  if (row === undefined) throw new StoreError('conflict');
  const document = parseDocument(row[1]);
  if (documentVersion(document) !== write.v) throw new StoreError('conflict');
  return { entry, doc: row[0], text: row[1], document };
}

function update(
  context: WriteContext,
  write: Extract<Write, { kind: 'update' }>,
  workLimit: WorkLimit,
): CollectionEntry {
  const { entry, doc, text: oldText, document: before } = loadExpected(context, write);
  const text = serializeDocument(write.document, write.text);
  const sql = `update ${documentTable(entry.n)} set json = ? where doc = ?`;
  context.connection.statement(sql).run(text, doc);
  const changed = new Set(write.changed);
  for (const index of entry.indexes) {
    const isAffected = index.definition.keys.some((key) => changed.has(key.path.split('.', 1)[0] ?? ''));
    if (isAffected) updateIndex(context, index, { doc, before, after: write.document, workLimit });
  }
  return updateSize(entry, oldText.length, text.length);
}

function remove(
  context: WriteContext,
  write: Extract<Write, { kind: 'remove' }>,
  workLimit: WorkLimit,
): CollectionEntry {
  const { entry, doc, text, document: before } = loadExpected(context, write);
  context.connection.statement(`delete from ${documentTable(entry.n)} where doc = ?`).run(doc);
  for (const index of entry.indexes)
    updateIndex(context, index, { doc, before, after: undefined, workLimit });
  entry.documents -= 1;
  return updateSize(entry, text.length, 0);
}

function updateSize(entry: CollectionEntry, before: number, after: number): CollectionEntry {
  entry.bytes += after - before;
  entry.largest = Math.max(entry.largest, after);
  return entry;
}
