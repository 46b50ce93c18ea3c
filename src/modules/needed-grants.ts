// What the code of a module calls `Model` with, and whether its policy grants that: for `cloister check`, which reads and does not run.
import type { Collection } from '../collections/model/collection.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { CollectionGrant } from '../sandbox-supervisor/model/module-version.ts';
import type { ModuleAddress } from './model/module-types.ts';
import { listNamedAccess } from './source-text/named-access.ts';
import { findNamedGrants, type NamedCollection, type NamedGrants } from './source-text/named-grants.ts';
import { parseCode } from './source-text/parse-code.ts';

const namedCollection = ({ version, database, name, settings }: Collection): NamedCollection => ({
  version,
  database,
  name,
  hooks: new Set(Object.values(settings.hooks ?? {}).flatMap((uses) => uses.map((use) => use.name))),
});

/** Finds what the text calls; undefined where it does not call `Model`, or cannot be read. */
export function findNeededGrants(
  source: string,
  address: ModuleAddress,
  collections: readonly Collection[],
): NamedGrants | undefined {
  const code = parseCode(source);
  if ('message' in code) return undefined;
  const { models } = listNamedAccess(code);
  return models.length === 0 ? undefined : findNamedGrants(models, address, collections.map(namedCollection));
}

/** The policy that grants just that. */
export function policyOf({ collections }: NamedGrants): JsonObject {
  return {
    version: 1,
    grants: { collections: collections.map(({ name, actions }) => ({ name, actions: [...actions] })) },
  };
}

/** Names that the policy does not grant. */
export function missingGrants(
  { collections }: NamedGrants,
  granted: readonly Pick<CollectionGrant, 'name'>[],
): readonly string[] {
  return collections.map(({ name }) => name).filter((name) => !granted.some((grant) => grant.name === name));
}
