// The documents that a write is about: one by its id, or all that a query matches, up to the limit.
import { AppError } from '../../errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { documentVersion } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { filterById, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Projection, StoredDocument } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext, WriteOptions } from '../model/documents.ts';
import { toOperationOptions } from '../reads/reader.ts';

interface WriteTargetsDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'count'>;
  readonly filters: FilterCompiler;
  /** `limits.writeMatches` */
  readonly limit: number;
}

/** What to read of the documents; everything unless given. */
interface Reading {
  readonly projection?: Projection;
}

export interface WriteTargets {
  /** Throws DOCUMENT_NOT_FOUND, or PRECONDITION_FAILED when the document is not in a state that `ifMatch` takes. */
  one(
    target: { readonly collection: Collection; readonly id: string },
    context: RequestContext,
    options: Reading & Pick<WriteOptions, 'ifMatch'>,
  ): Promise<StoredDocument>;
  /** Throws FILTER_INVALID, or WRITE_TOO_LARGE when too many documents match. */
  matching(
    target: { readonly collection: Collection; readonly query: JsonObject },
    context: RequestContext,
    options: Reading,
  ): Promise<readonly StoredDocument[]>;
  /** How many documents the collection holds. */
  left(collection: Collection, context: RequestContext): Promise<number>;
}

export function createWriteTargets({ store, filters, limit }: WriteTargetsDeps): WriteTargets {
  return {
    async one({ collection, id }, context, { ifMatch, projection }) {
      const query = {
        filter: filterById(id),
        sort: [],
        skip: 0,
        limit: 1,
        ...(projection && { projection }),
      };
      const [text] = await store.findText(collection.namespace, query, toOperationOptions(context));
      if (text === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      const document = parseStoredJson<StoredDocument>(text);
      if (ifMatch?.(documentVersion(document)) === false) throw new AppError('PRECONDITION_FAILED');
      return document;
    },
    async matching({ collection, query }, context, { projection }) {
      const filter = await filters.compile(collection, query as Json, context);
      const most = Math.min(limit, context.maxMatches ?? limit);
      const find = { filter, sort: [], skip: 0, limit: most + 1, ...(projection && { projection }) };
      const texts = await store.findText(collection.namespace, find, toOperationOptions(context));
      if (texts.length > most) {
        const matches = await store.count(collection.namespace, filter, toOperationOptions(context));
        const message = `The query matches ${matches} documents, more than the ${most} that one write may have`;
        throw new AppError('WRITE_TOO_LARGE', { field: 'query', message });
      }
      return mapYielding(texts, parseStoredJson<StoredDocument>);
    },
    left: (collection, context) => store.count(collection.namespace, MATCH_ALL, toOperationOptions(context)),
  };
}
