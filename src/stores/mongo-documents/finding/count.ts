// Counts documents, exactly.
import type { Filter } from '../../filter.ts';
import type { DocumentStore, Namespace } from '../../ports.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { translateFilter } from '../filters/translate.ts';
import type { Experience } from '../folding/experience.ts';
import type { SpellingMemory } from '../folding/memory.ts';
import { createCountMemory } from './count-memory.ts';
import { countFolded } from './folded.ts';
import { countScanned } from './residual-scan.ts';
import { countRows } from './rows.ts';

interface CountOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  readonly experience: Experience;
  readonly memory: SpellingMemory;
}

/** Makes the `count` of the store. */
export function createCount({
  connection,
  indexes,
  experience,
  memory,
}: CountOptions): DocumentStore['count'] {
  const counts = createCountMemory(() => performance.now());
  const counted = async (scope: Scope, ns: Namespace, filter: Filter) => {
    const said = translateFilter(filter, { collated: false });
    if (!said.exact) return countScanned(scope, { ns, filter, said });
    const folded = await countFolded(scope, { ns, filter, known: indexes.of(ns), experience, memory });
    return folded ?? countRows(scope, { ns, query: said.query });
  };
  return (ns, filter, options = {}) =>
    connection.run(options, (scope) =>
      repeatedRead(scope, () => counts.of(scope, { ns, filter }, () => counted(scope, ns, filter))),
    );
}
