// Cache of the indexes that this process has declared, for reads and commits.
import { namespaceKey } from '../../namespace.ts';
import type { IndexCache, KnownIndex } from '../connection/types.ts';
import type { IndexMigrationPlan, Placement } from './index-plan.ts';

/** Index names, once the background builds are done. */
interface BuildOutcome {
  /** Twins that serve. */
  readonly ready: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

export interface WritableIndexCache extends IndexCache {
  /** Replaces the entry of a namespace key. Without an outcome, shadow indexes that were ready stay ready. */
  set(key: string, plan: IndexMigrationPlan, outcome?: BuildOutcome): void;
}

function knownIndex({ definition, index, shadow }: Placement, ready: ReadonlySet<string>): KnownIndex {
  const { name, keys, unique, sparse } = index.spec;
  return {
    definition,
    name,
    endsInId: keys.at(-1)?.[0] === '_id',
    isUnique: unique && !sparse,
    hasReadyShadow: shadow !== undefined && ready.has(shadow.spec.name),
    ...(shadow === undefined ? {} : { shadow: shadow.spec.name }),
  };
}

/** Knows nothing at first. */
export function createIndexCache(): WritableIndexCache {
  const byKey = new Map<string, readonly KnownIndex[]>();
  return {
    of: (ns) => byKey.get(namespaceKey(ns)) ?? [],
    set(key, { placements }, outcome) {
      const before = (byKey.get(key) ?? []).filter(({ hasReadyShadow }) => hasReadyShadow);
      const stillFound = new Set(
        placements.flatMap(({ shadow }) => (shadow?.exists ? [shadow.spec.name] : [])),
      );
      const wereReady = before.flatMap(({ shadow = '' }) => (stillFound.has(shadow) ? [shadow] : []));
      const ready = outcome?.ready ?? new Set(wereReady);
      const there = placements.filter(({ index }) => outcome?.failed.has(index.spec.name) !== true);
      byKey.set(
        key,
        there.map((placement) => knownIndex(placement, ready)),
      );
    },
  };
}
