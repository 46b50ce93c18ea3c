// The grants of collections that code asks for by what it names: only what its text says without doubt is granted, the rest is told.

import type { ModelAction } from '../../sandbox-supervisor/model/module-version.ts';
import { MODEL_ACTIONS } from '../policy/policy-schema.ts';
import type { ModelUse } from './named-access.ts';

/** A collection, as far as it is needed to tell what a name means. */
export interface NamedCollection {
  readonly version: string;
  readonly database: string;
  readonly name: string;
  /** The names of its hooks. */
  readonly hooks: ReadonlySet<string>;
}

/** The module whose code it is. */
export type CodeOwner =
  | { readonly kind: 'hook'; readonly name: string }
  | { readonly kind: 'endpoint'; readonly apiVersion: string };

/**
 * Why a use is not granted. `computed`: the name of the collection is; `missing`: no collection has it; `several`: more than one has;
 * `unread`: what is done with it is not in the text.
 */
export interface UnclearUse {
  readonly line: number;
  readonly why: 'computed' | 'missing' | 'several' | 'unread';
  /** Undefined where it is computed, or the collection of the hook. */
  readonly name: string | undefined;
  readonly isOwn: boolean;
  /** Addresses that the name may mean, `1.0/library/books`. */
  readonly candidates: readonly string[];
}

export interface NamedGrants {
  /** Actions by the address of the collection, both sorted. */
  readonly collections: readonly { readonly name: string; readonly actions: readonly ModelAction[] }[];
  /** In the order of the text. */
  readonly unclear: readonly UnclearUse[];
}

/** Methods of `Model`, and the actions that they are granted as. */
const ACTIONS: ReadonlyMap<string, ModelAction> = new Map<string, ModelAction>([
  ...MODEL_ACTIONS.map((action) => [action, action] as const),
  ['get', 'find'],
  ['revisions', 'find'],
  ['getRevisions', 'find'],
  ['getStats', 'stats'],
]);

/** `1.0/library/books`, as grants name a collection. */
export const addressOf = ({
  version,
  database,
  name,
}: Pick<NamedCollection, 'version' | 'database' | 'name'>) => `${version}/${database}/${name}`;

/** The collections that a hook runs for; of an endpoint, those of its version. */
function nearCollections(owner: CodeOwner, collections: readonly NamedCollection[]) {
  return collections.filter(({ version, hooks }) =>
    owner.kind === 'hook' ? hooks.has(owner.name) : version === owner.apiVersion,
  );
}

/** The collections that a use may mean: those of its name near the module, else all of its name. */
function candidatesOf(
  use: ModelUse,
  owner: CodeOwner,
  collections: readonly NamedCollection[],
): readonly NamedCollection[] {
  const near = nearCollections(owner, collections);
  if (use.isOwn) return owner.kind === 'hook' ? near : [];
  const sameName = collections.filter((one) => `/${addressOf(one)}`.endsWith(`/${use.name}`));
  const beside = sameName.filter(({ version, database }) =>
    near.some(
      (other) => other.version === version && (owner.kind === 'endpoint' || other.database === database),
    ),
  );
  return beside.length > 0 ? beside : sameName;
}

/** Finds the grants of the uses of `Model` in the code of `owner`. */
export function findNamedGrants(
  uses: readonly ModelUse[],
  owner: CodeOwner,
  collections: readonly NamedCollection[],
): NamedGrants {
  const granted = new Map<string, Set<ModelAction>>();
  const unclear: UnclearUse[] = [];
  for (const use of uses) {
    const { line, name, isOwn } = use;
    const isComputed = name === undefined && !isOwn;
    const found = isComputed ? [] : candidatesOf(use, owner, collections);
    const addresses = found.map(addressOf);
    const actions = use.methods.flatMap((method) => ACTIONS.get(method) ?? []);
    const tell = (why: UnclearUse['why']) => unclear.push({ line, why, name, isOwn, candidates: addresses });
    if (isComputed) tell('computed');
    else if (found.length === 0) tell('missing');
    else if (actions.length === 0) tell('unread');
    else if (!isOwn && found.length > 1) tell('several');
    else {
      for (const address of addresses)
        granted.set(address, new Set([...(granted.get(address) ?? []), ...actions]));
    }
  }
  const sorted = [...granted].sort(([a], [b]) => (a < b ? -1 : 1));
  return { collections: sorted.map(([name, of]) => ({ name, actions: [...of].sort() })), unclear };
}
