// Finds documents: in the server's words as far as they reach, in one round trip where they reach all the way.
import { StoreError } from '../../../errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { mapInSlices } from '../../../lib/slices.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions, StoredDocument } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { withoutRepeats } from '../filters/lists.ts';
import { translateFilter } from '../filters/translate.ts';
import { createExperience } from '../folding/experience.ts';
import { createSpellingMemory } from '../folding/memory.ts';
import type { ValueKinds } from '../value-kinds.ts';
import { createCount } from './count.ts';
import { findFolded } from './folded.ts';
import { foreignFor, orderOf } from './foreign.ts';
import type { Page, Search } from './page.ts';
import { createPageReader } from './page-reader.ts';
import { findPlain } from './plain.ts';
import { findMerged, findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort.ts';
import { tellFilter } from './too-large.ts';
import { createWorkload } from './workload.ts';

interface ReadsOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  /** Whether a page of so many bytes may be read now. */
  readonly hasRoom: (bytes: number) => boolean;
  readonly kinds: ValueKinds;
}

/** The reading half of the store. */
export function createReads({
  connection,
  indexes,
  hasRoom,
  kinds,
}: ReadsOptions): Pick<DocumentStore, 'find' | 'findText' | 'count'> {
  const experience = createExperience();
  const memory = createSpellingMemory();
  const workload = createWorkload();
  const readPage = createPageReader({
    ...{ connection, indexes, hasRoom, workload },
    findPage: async (scope, wanted) => findPage(scope, { ...wanted, experience, memory }, kinds),
  });
  const pageOf = async (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<Page> => {
    if (query.limit <= 0) return NOTHING;
    const filter = withoutRepeats(query.filter);
    // Nothing is awaited for the sake of a list that is not there.
    const lean = filter === query.filter ? query : { ...query, filter: await filter };
    return readPage(ns, lean, options).catch(tellFilter);
  };
  return {
    async find(ns, query, options = {}) {
      const { texts, finish = asItIs } = await pageOf(ns, query, options);
      return mapInSlices(texts, (text) => finish(JSON.parse(text) as JsonObject) as StoredDocument);
    },
    async findText(ns, query, options = {}) {
      const { texts, finish } = await pageOf(ns, query, options);
      if (finish === undefined) return texts;
      return mapInSlices(texts, (text) => JSON.stringify(finish(JSON.parse(text) as JsonObject)));
    },
    count: createCount({ connection, indexes, experience, memory, workload, kinds }),
  };
}

const NOTHING: Page = { texts: [], finish: undefined };

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
    const failure = asFailure(error);
    if (!(failure instanceof StoreError && failure.reason === 'parallel-arrays')) throw error;
    return findSorted(scope, search, said);
  }
}
