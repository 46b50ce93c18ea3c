// What this process knows of the indexes that it declared.
import type { IndexKnowledge, KnownIndex } from '../connection/types.ts';
import { spaceKey } from '../names.ts';
import type { IndexPlan, Placement } from './plan.ts';

/** Names in the database, once what is built behind the answer is done. */
interface Outcome {
  /** Twins that serve. */
  readonly ready: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

export interface WritableKnowledge extends IndexKnowledge {
  /** Replaces what is known of a name space, by its `spaceKey`. Without an outcome twins are held ready that were so before. */
  set(key: string, plan: IndexPlan, outcome?: Outcome): void;
}

function known({ definition, index, twin }: Placement, ready: ReadonlySet<string>): KnownIndex {
  const { name, keys, unique, sparse } = index.spec;
  return {
    definition,
    name,
    tied: keys.at(-1)?.[0] === '_id',
    distinct: unique && !sparse,
    folding: twin !== undefined && ready.has(twin.spec.name),
    ...(twin === undefined ? {} : { twin: twin.spec.name }),
  };
}

/** Knows nothing at first. */
export function createIndexKnowledge(): WritableKnowledge {
  const byKey = new Map<string, readonly KnownIndex[]>();
  return {
    of: (ns) => byKey.get(spaceKey(ns)) ?? [],
    set(key, { placements }, outcome) {
      const before = (byKey.get(key) ?? []).filter(({ folding }) => folding);
      const stillFound = new Set(placements.flatMap(({ twin }) => (twin?.found ? [twin.spec.name] : [])));
      const wereReady = before.flatMap(({ twin = '' }) => (stillFound.has(twin) ? [twin] : []));
      const ready = outcome?.ready ?? new Set(wereReady);
      const there = placements.filter(({ index }) => outcome?.failed.has(index.spec.name) !== true);
      byKey.set(
        key,
        there.map((placement) => known(placement, ready)),
      );
    },
  };
}
