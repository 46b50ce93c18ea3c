// Counts documents, exactly.
import type { Filter } from '../../filter.ts';
import type { DocumentStore, Namespace } from '../../ports.ts';
import { repeatedRead } from '../connection/repeat.ts';
import type { Connection, IndexKnowledge, Scope } from '../connection/types.ts';
import { withoutRepeats } from '../filters/lists.ts';
import { translateFilter } from '../filters/translate.ts';
import type { Experience } from '../folding/experience.ts';
import type { SpellingMemory } from '../folding/memory.ts';
import type { ValueKinds } from '../value-kinds.ts';
import { createCountMemory } from './count-memory.ts';
import { countFolded } from './folded.ts';
import { foreignFor } from './foreign.ts';
import { kindOfCount } from './kinds.ts';
import { countScanned } from './residual-scan.ts';
import { countRows } from './rows.ts';
import { tellFilter } from './too-large.ts';
import type { Workload } from './workload.ts';

interface CountOptions {
  readonly connection: Connection;
  readonly indexes: IndexKnowledge;
  readonly experience: Experience;
  readonly memory: SpellingMemory;
  readonly workload: Workload;
  readonly kinds: ValueKinds;
}

/** Makes the `count` of the store. */
export function createCount({
  connection,
  indexes,
  experience,
  memory,
  workload,
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
  return async (ns, asked, options = {}) => {
    const lean = withoutRepeats(asked);
    const filter = lean === asked ? asked : await lean;
    const kind = kindOfCount(ns, filter, indexes.of(ns));
    const lane = () => workload.laneOf(kind);
    const work = async (scope: Scope) => {
      const began = performance.now();
      try {
        return await repeatedRead(scope, () =>
          counts.of(scope, { ns, filter }, () => counted(scope, ns, filter)),
        );
      } finally {
        workload.saw(kind, { ms: performance.now() - began, bytes: 0, documents: 0 });
      }
    };
    return connection.run({ ...options, lane }, work).catch(tellFilter);
  };
}
