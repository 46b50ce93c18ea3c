// The documents that a write is about: one by its id, or all that a query matches, up to the limit.
import { AppError } from '../../errors.ts';
import { versionOf } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { parseStored } from '../../lib/stored-json.ts';
import { EVERYTHING } from '../../stores/filter.ts';
import type { DocumentStore, Projection, StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, WriteOptions } from '../documents.ts';
import type { FilterCompiler } from '../filters/compiler.ts';
import { byId, within } from '../reads/reader.ts';

interface AffectedOptions {
  readonly store: Pick<DocumentStore, 'findText' | 'count'>;
  readonly filters: FilterCompiler;
  /** `limits.writeMatches` */
  readonly limit: number;
}

/** What to read of the documents; everything unless given. */
interface Reading {
  readonly projection?: Projection;
}

export interface Affected {
  /** Throws DOCUMENT_NOT_FOUND, or PRECONDITION_FAILED when the document is not in a state that `ifMatch` takes. */
  one(
    target: { readonly collection: Collection; readonly id: string },
    context: Context,
    options: Reading & Pick<WriteOptions, 'ifMatch'>,
  ): Promise<StoredDocument>;
  /** Throws FILTER_INVALID, or WRITE_TOO_LARGE when too many documents match. */
  matching(
    target: { readonly collection: Collection; readonly query: JsonObject },
    context: Context,
    options: Reading,
  ): Promise<readonly StoredDocument[]>;
  /** How many documents the collection holds. */
  left(collection: Collection, context: Context): Promise<number>;
}

export function createAffected({ store, filters, limit }: AffectedOptions): Affected {
  return {
    async one({ collection, id }, context, { ifMatch, projection }) {
      const query = { filter: byId(id), sort: [], skip: 0, limit: 1, ...(projection && { projection }) };
      const [text] = await store.findText(collection.namespace, query, within(context));
      if (text === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      const document = parseStored<StoredDocument>(text);
      if (ifMatch?.(versionOf(document)) === false) throw new AppError('PRECONDITION_FAILED');
      return document;
    },
    async matching({ collection, query }, context, { projection }) {
      const filter = await filters.compile(collection, query as Json, context);
      const most = Math.min(limit, context.maxMatches ?? limit);
      const find = { filter, sort: [], skip: 0, limit: most + 1, ...(projection && { projection }) };
      const texts = await store.findText(collection.namespace, find, within(context));
      if (texts.length > most) {
        const matches = await store.count(collection.namespace, filter, within(context));
        const message = `The query matches ${matches} documents, more than the ${most} that one write may have`;
        throw new AppError('WRITE_TOO_LARGE', { field: 'query', message });
      }
      return mapInSlices(texts, parseStored<StoredDocument>);
    },
    left: (collection, context) => store.count(collection.namespace, EVERYTHING, within(context)),
  };
}
