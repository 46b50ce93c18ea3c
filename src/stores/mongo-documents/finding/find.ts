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
import { createCount } from './count.ts';
import { findFolded } from './folded.ts';
import type { Page, Search } from './page.ts';
import { createPageReader } from './page-reader.ts';
import { findPlain } from './plain.ts';
import { findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort.ts';
import { tellFilter } from './too-large.ts';
import { createWorkload } from './workload.ts';

interface ReadsOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  /** Whether a page of so many bytes may be read now. */
  readonly hasRoom: (bytes: number) => boolean;
}

/** The reading half of the store. */
export function createReads({
  connection,
  indexes,
  hasRoom,
}: ReadsOptions): Pick<DocumentStore, 'find' | 'findText' | 'count'> {
  const experience = createExperience();
  const memory = createSpellingMemory();
  const workload = createWorkload();
  const readPage = createPageReader({
    ...{ connection, indexes, hasRoom, workload },
    findPage: async (scope, wanted) => findPage(scope, { ...wanted, experience, memory }),
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
    count: createCount({ connection, indexes, experience, memory, workload }),
  };
}

const NOTHING: Page = { texts: [], finish: undefined };

const asItIs = (document: JsonObject) => document;

async function findPage(scope: Scope, search: Search): Promise<Page> {
  const { query, known } = search;
  const said = translateFilter(query.filter, { collated: false });
  const sort = serverSort(query.sort, known);
  try {
    if (!said.exact || sort === undefined) return await findResidual(scope, search, said);
    return (await findFolded(scope, search)) ?? (await findPlain(scope, search, said));
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof StoreError && failure.reason === 'parallel-arrays')) throw error;
    return findSorted(scope, search, said);
  }
}
