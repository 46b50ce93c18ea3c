// What a caller may do with one document, asked without doing it: the tests are those of the requests themselves.

import { AppError } from '../../../errors/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { type Filter, filterById, joinFilters } from '../../../stores/filter.ts';
import { createPredicate } from '../../../stores/matching/filter-predicate.ts';
import type { FilterCompiler } from '../../filters/compile.ts';
import { narrowFilter, permitServer } from '../../model/access.ts';
import type { Collection } from '../../model/collection.ts';
import type { DocumentRights } from '../../model/document-facts.ts';
import type { RequestContext } from '../../model/documents.ts';
import { createStateTest } from '../permitted-states.ts';
import type { WriteDeps } from '../write-deps.ts';
import { documentOf, readLastRevision } from './removed-history.ts';

interface Deps extends Pick<WriteDeps, 'store' | 'registry'> {
  readonly filters: Pick<FilterCompiler, 'compileDefaults' | 'compileRead' | 'ownDocuments'>;
}

const stateOf = (state: JsonObject | undefined) => ({
  isKnown: state !== undefined,
  matches: (filter: Filter) => state !== undefined && createPredicate(filter)(state),
});

/** See `DocumentService.rights`. */
export async function documentRights(
  deps: Deps,
  collection: Collection,
  id: string,
  context: RequestContext,
): Promise<DocumentRights> {
  const { store, filters } = deps;
  const { deadline, caller } = context;
  const access = caller.access(collection);
  const own = permitServer(joinFilters([filterById(id), filters.ownDocuments(collection)]));
  const query = { filter: own, sort: [], skip: 0, limit: 1 };
  const [present] = await store.find(collection.namespace, query, { deadline });
  if (present === undefined) return removedRights(deps, collection, id, context);
  const may = (action: 'read' | 'update' | 'delete' | 'history') => createStateTest(access, action)(present);
  const { filter } = await filters.compileRead(collection, undefined, context);
  const shown = narrowFilter(filter, filterById(id));
  const isShown = (await store.count(collection.namespace, shown, { deadline })) > 0;
  return {
    ...stateOf(present),
    isRemoved: false,
    isHidden: may('read') && !isShown,
    allowed: {
      read: may('read') && isShown,
      update: may('update'),
      delete: may('delete'),
      history: may('read') && isShown && may('history'),
    },
  };
}

const NOTHING = { read: false, update: false, delete: false, history: false };

/** Of a removed document the revisions are left. */
async function removedRights(
  deps: Deps,
  collection: Collection,
  id: string,
  context: RequestContext,
): Promise<DocumentRights> {
  const absent = { ...stateOf(undefined), isRemoved: false, isHidden: false, allowed: NOTHING };
  if (!collection.settings.storeRevisions) return absent;
  const last = await readLastRevision(deps, collection, id, context).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'DOCUMENT_NOT_FOUND') return undefined;
    throw error;
  });
  if (last === undefined) return absent;
  const state = documentOf(last, id);
  const access = context.caller.access(collection);
  const defaults = createPredicate(await deps.filters.compileDefaults(collection, context));
  const may = (action: 'read' | 'history') => createStateTest(access, action)(state);
  const history = may('read') && may('history') && defaults(state);
  return {
    ...stateOf(state),
    isRemoved: true,
    isHidden: may('read') && !defaults(state),
    allowed: { ...NOTHING, history },
  };
}
