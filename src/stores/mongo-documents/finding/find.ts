// Finds documents: in the server's words as far as they reach, in one round trip where they reach all the way.
import { StoreError } from '../../../errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { DocumentStore, FindQuery, Namespace, OperationOptions, StoredDocument } from '../../ports.ts';
import { asFailure } from '../connection/failures.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { translateFilter } from '../filters/translate.ts';
import { createExperience } from '../folding/experience.ts';
import { createSpellingMemory } from '../folding/memory.ts';
import { createCount } from './count.ts';
import { findFolded } from './folded.ts';
import type { Page, Search } from './page.ts';
import { findPlain } from './plain.ts';
import { findResidual, findSorted } from './residual-find.ts';
import { serverSort } from './sort.ts';

interface ReadsOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
}

/** The reading half of the store. */
export function createReads({
  connection,
  indexes,
}: ReadsOptions): Pick<DocumentStore, 'find' | 'findText' | 'count'> {
  const experience = createExperience();
  const memory = createSpellingMemory();
  const pageOf = (ns: Namespace, query: FindQuery, options: OperationOptions): Promise<Page> => {
    return connection.run(options, async (scope) => {
      scope.left();
      if (query.limit <= 0) return { texts: [], finish: undefined };
      const search = { ns, query, known: indexes.of(ns), experience, memory };
      return repeatedRead(scope, () => findPage(scope, search));
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
    count: createCount({ connection, indexes, experience, memory }),
  };
}

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
