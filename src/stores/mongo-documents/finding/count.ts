// Counts documents, exactly.
import type { Filter } from '../../filter.ts';
import type { DocumentStore, Namespace } from '../../ports.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { translateFilter } from '../filters/translate.ts';
import type { Experience } from '../folding/experience.ts';
import type { SpellingMemory } from '../folding/memory.ts';
import type { ValueKinds } from '../value-kinds.ts';
import { createCountMemory } from './count-memory.ts';
import { countFolded } from './folded.ts';
import { foreignFor } from './foreign.ts';
import { countScanned } from './residual-scan.ts';
import { countRows } from './rows.ts';

interface CountOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  readonly experience: Experience;
  readonly memory: SpellingMemory;
  readonly kinds: ValueKinds;
}

/** Makes the `count` of the store. */
export function createCount({
  connection,
  indexes,
  experience,
  memory,
  kinds,
}: CountOptions): DocumentStore['count'] {
  const counts = createCountMemory(() => performance.now());
  const counted = async (scope: Scope, ns: Namespace, filter: Filter) => {
    const foreign = await foreignFor(scope, { ns, filter, kinds });
    const said = translateFilter(filter, { collated: false, ...(foreign !== undefined && { foreign }) });
    if (!said.exact) return countScanned(scope, { ns, filter, said });
    const folded = await countFolded(scope, { ns, filter, known: indexes.of(ns), experience, memory });
    return folded ?? countRows(scope, { ns, query: said.query });
  };
  return (ns, filter, options = {}) =>
    connection.run(options, (scope) => counts.of(scope, { ns, filter }, () => counted(scope, ns, filter)));
}
