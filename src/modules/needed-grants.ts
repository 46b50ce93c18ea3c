// What the text of a module calls `Model` with, and whether its policy grants that: for `cloister check`, which reads and does not run.
import type { Collection } from '../collections/model/collection.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { CollectionGrant, ModelAction } from '../sandbox-supervisor/model/module-version.ts';
import type { ModuleAddress } from './model/module-types.ts';

/** Calls that need each action. */
const CALLS: ReadonlyMap<ModelAction, RegExp> = new Map([
  ['find', /\.(?:find|get|revisions|getRevisions)\s*\(/],
  ['count', /\.count\s*\(/],
  ['create', /\.create\s*\(/],
  ['update', /\.update\s*\(/],
  ['delete', /\.delete\s*\(/],
  ['stats', /\.(?:stats|getStats)\s*\(/],
]);
const NAMED = /\bModel\s*\(\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`$\n]*)`)/g;
const OWN = /\bModel\s*\(\s*\w+\.collection\b/;
const COMMENTS = /\/\*[\s\S]*?\*\/|(?<![:"'`\\\w])\/\/.*$/gm;

/** What a module needs of its policy. */
export interface NeededGrants {
  /** Grants of the collections that it names. */
  readonly grants: readonly Pick<CollectionGrant, 'name' | 'actions'>[];
  /** Names that no collection, or more than one, has. */
  readonly unknown: readonly string[];
}

/** The collections that a hook of this name runs for. */
function collectionsOf(address: ModuleAddress, collections: readonly Collection[]): readonly Collection[] {
  if (address.kind !== 'hook') return [];
  const { name } = address;
  return collections.filter(({ settings: { hooks } }) =>
    Object.values(hooks ?? {}).some((uses) => uses.some((use) => use.name === name)),
  );
}

/** The collections that `name` means: near the module first, and nowhere else where it is there. */
function findNamed(
  name: string,
  { address, own, all }: { address: ModuleAddress; own: readonly Collection[]; all: readonly Collection[] },
): readonly Collection[] {
  const named = all.filter(({ path }) => path.endsWith(`/${name}`));
  if (address.kind === 'endpoint') return named.filter(({ version }) => version === address.apiVersion);
  const beside = named.filter(({ version, database }) =>
    own.some((other) => other.version === version && other.database === database),
  );
  return beside.length > 0 ? beside : named;
}

/** Finds what the text calls; undefined where it does not use `Model`. */
export function findNeededGrants(
  source: string,
  address: ModuleAddress,
  collections: readonly Collection[],
): NeededGrants | undefined {
  const text = source.replace(COMMENTS, '');
  if (!/\bModel\s*\(/.test(text)) return undefined;
  const actions = [...CALLS].flatMap(([action, call]) => (call.test(text) ? [action] : []));
  const own = collectionsOf(address, collections);
  const found = new Set(OWN.test(text) ? own : []);
  const unknown: string[] = [];
  for (const [, single, double, template] of text.matchAll(NAMED)) {
    const name = single ?? double ?? template ?? '';
    const named = findNamed(name, { address, own, all: collections });
    // An endpoint's short name must mean one collection; a hook may run for several that have the same one beside them.
    if (named.length === 0 || (address.kind === 'endpoint' && named.length > 1)) unknown.push(name);
    else for (const collection of named) found.add(collection);
  }
  const paths = [...found].map(({ path }) => path.slice(1)).sort();
  return {
    grants: paths.map((name) => ({ name, actions: actions.length === 0 ? ['find'] : actions })),
    unknown: [...new Set(unknown)],
  };
}

/** The policy that grants just that. */
export function policyOf({ grants }: NeededGrants): JsonObject {
  return {
    version: 1,
    grants: { collections: grants.map(({ name, actions }) => ({ name, actions: [...actions] })) },
  };
}

/** Names that the policy does not grant. */
export function missingGrants(
  { grants }: NeededGrants,
  granted: readonly Pick<CollectionGrant, 'name'>[],
): readonly string[] {
  return grants.map(({ name }) => name).filter((name) => !granted.some((grant) => grant.name === name));
}
