// Finds the record of a file, so that its bytes can be served.
import { type Filter, filterById } from '../../stores/filter.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { DocumentService, RecordService } from '../model/documents.ts';
import { toStoreOptions } from './find-page.ts';
import { hasReadHooks } from './read-hooks.ts';

interface RecordFinderDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly filters: Pick<FilterCompiler, 'compileDefaults'>;
  /** Reads as clients do, through hooks. */
  readonly reader: Pick<DocumentService, 'get'>;
}

/** A file is as hidden as its record: by the default filters of the collection, and by its hooks for reads. */
export function createRecordFinder(options: RecordFinderDeps): Pick<RecordService, 'findRecord'> {
  const { store, filters, reader } = options;
  return {
    async findRecord(collection, by, context) {
      const byKey: Filter =
        'id' in by
          ? filterById(by.id)
          : { kind: 'field', path: 'path', tests: [{ kind: 'eq', value: by.path }] };
      const filter = joinFilters([byKey, await filters.compileDefaults(collection, context)]);
      const query = { filter, sort: [], skip: 0, limit: 1 };
      const [record] = await store.find(collection.namespace, query, toStoreOptions(context));
      if (record === undefined || !hasReadHooks(collection)) return record;
      const { count } = await reader.get(collection, record._id, {}, context);
      return count === 0 ? undefined : record;
    },
  };
}
