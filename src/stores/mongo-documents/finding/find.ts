// Finds documents: in the server's words as far as they reach, in one round trip where they reach all the way.
import type { JsonObject } from '../../../lib/json.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions, StoredDocument } from '../../ports.ts';
import { asStoreError } from '../connection/failures.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { translateFilter } from '../filters/translate.ts';
import { createExperience } from '../folding/experience.ts';
import { createSpellingMemory } from '../folding/memory.ts';
import type { ValueKinds } from '../value-kinds.ts';
import { createCount } from './count.ts';
import { findFolded } from './folded.ts';
import { foreignFor, orderOf } from './foreign.ts';
import type { Page, Search } from './page.ts';
import { findPlain } from './plain.ts';
import { findMerged, findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort.ts';

interface ReadsOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  readonly kinds: ValueKinds;
}

/** The reading half of the store. */
export function createReads({
  connection,
  indexes,
  kinds,
}: ReadsOptions): Pick<DocumentStore, 'find' | 'findText' | 'count'> {
  const experience = createExperience();
  const memory = createSpellingMemory();
  const pageOf = (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<Page> => {
    return connection.run(options, async (scope) => {
      scope.left();
      if (query.limit <= 0) return { texts: [], finish: undefined };
      return findPage(scope, { ns, query, known: indexes.of(ns), experience, memory }, kinds);
    });
  };
  return {
    async find(ns, query, options = {}) {
      const { texts, finish = asItIs } = await pageOf(ns, query, options);
      return texts.map((text) => finish(JSON.parse(text) as JsonObject) as StoredDocument);
    },
    async findText(ns, query, options = {}) {
      const { texts, finish } = await pageOf(ns, query, options);
      if (finish === undefined) return texts;
      return texts.map((text) => JSON.stringify(finish(JSON.parse(text) as JsonObject)));
    },
    count: createCount({ connection, indexes, experience, memory, kinds }),
  };
}

const asItIs = (document: JsonObject) => document;

async function findPage(scope: Scope, search: Search, kinds: ValueKinds): Promise<Page> {
  const { ns, query, known } = search;
  const { filter } = query;
  const paths = query.sort.map(([path]) => path);
  const [foreign, order] = await Promise.all([
    foreignFor(scope, { ns, filter, kinds }),
    orderOf(scope, { ns, paths, kinds }),
  ]);
  const said = translateFilter(filter, { collated: false, ...(foreign !== undefined && { foreign }) });
  const sort = serverSort(query.sort, known);
  try {
    if (order === 'evaluated') return await findSorted(scope, search, said);
    if (order !== 'plain') return await findMerged(scope, search, { said, path: order.mergedBy });
    if (!said.exact || sort === undefined) return await findResidual(scope, search, said);
    return (await findFolded(scope, search)) ?? (await findPlain(scope, search, said));
  } catch (error) {
    if (asStoreError(error).reason !== 'parallel-arrays') throw error;
    return findSorted(scope, search, said);
  }
}
