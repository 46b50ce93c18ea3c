// The documents that a reference may lead to: found by words, and those that it leads to now.
import type { StoredDocument } from '../../../api/types-collections.ts';
import { type FileRecord, RECORD_FIELDS, recordOf } from '../../../parts/files/file-record.ts';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { useCollection, useDocuments } from '../collection-queries.ts';
import { columnsOf, type Field, fieldsOf, titleField } from './field.ts';
import { titleOf } from './value-text.ts';

/** Options that are shown at once. */
const MAX_OPTIONS = 20;
const FILE_NAME = 'fileName';
const ID = /^[0-9a-f]{24}$/i;

export interface ReferenceOption {
  readonly value: string;
  readonly label: string;
  /** Of a file. */
  readonly file?: FileRecord;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The title of a document, else the name of its file, else its id. */
function labelOf(document: StoredDocument, title: Field | undefined): string {
  const label = titleOf(document, title);
  const fileName = document[FILE_NAME];
  return label === document._id && typeof fileName === 'string' ? fileName : label;
}

/** What can be chosen for these words, with the names of what is chosen already. */
export function useReferenceOptions(
  target: CollectionAddress,
  words: string,
  chosen: readonly string[],
  isOpen: boolean,
) {
  const path = collectionPath(target);
  const query = useCollection(path);
  const collection = query.data;
  const mayRead = collection?.actions.includes('read') === true;
  const fields = collection === undefined ? [] : fieldsOf(collection);
  const title = titleField(fields);
  const shown = [
    ...[title, ...columnsOf(fields)].flatMap((field) => (field === undefined ? [] : [field.name])),
    // People know a file by its name, and by how it looks.
    ...(collection?.isMedia ? RECORD_FIELDS : []),
  ];
  const common = {
    fields: JSON.stringify(Object.fromEntries(['_id', ...shown].map((name) => [name, 1]))),
    compose: false,
  };
  const ids = chosen.filter((id) => ID.test(id));
  const named = useDocuments(
    path,
    { ...common, count: Math.max(1, ids.length), filter: JSON.stringify({ _id: { $in: ids } }) },
    mayRead && ids.length > 0,
  );
  const optionOf = (document: StoredDocument): ReferenceOption => ({
    value: document._id,
    label: labelOf(document, title),
    ...(collection?.isMedia && { file: recordOf(document) }),
  });
  // The field of a single reference holds the name of what is chosen, which is no search for it.
  const isChosen = (named.data?.results ?? []).some((document) => optionOf(document).label === words);
  const text = isChosen ? '' : words.trim();
  const tests = [
    ...(title === undefined ? [] : [{ [title.name]: { $regex: escapePattern(text) } }]),
    ...(collection?.isMedia ? [{ [FILE_NAME]: { $regex: escapePattern(text) } }] : []),
    ...(ID.test(text) ? [{ _id: text }] : []),
  ];
  const filter = text === '' || tests.length === 0 ? {} : { filter: JSON.stringify({ $or: tests }) };
  const sort = title === undefined ? {} : { sort: JSON.stringify({ [title.name]: 1 }) };
  const found = useDocuments(path, { ...common, ...filter, ...sort, count: MAX_OPTIONS }, mayRead && isOpen);
  const options = new Map<string, ReferenceOption>();
  for (const id of chosen) options.set(id, { value: id, label: id });
  const known = [...(isOpen ? (found.data?.results ?? []) : []), ...(named.data?.results ?? [])];
  for (const document of known) options.set(document._id, optionOf(document));
  return {
    path,
    options: [...options.values()],
    mayRead,
    mayCreate: collection?.actions.includes('create') === true,
    isMedia: collection?.isMedia === true,
    isAsking: found.isFetching,
    /** Nothing is known of the collection, and nothing will be. */
    isUnknown: query.isError || (collection !== undefined && !mayRead),
  };
}
