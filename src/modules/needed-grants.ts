// What the code of a module calls `Model` with, and whether its policy grants that: for `cloister check`, which reads and does not run.
import type { Collection } from '../collections/model/collection.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { CollectionGrant, PolicyGrants } from '../sandbox-supervisor/model/module-version.ts';
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
export function policyOf({ collections }: NamedGrants, source: string): JsonObject {
  return {
    version: 1,
    grants: {
      collections: collections.map(({ name, actions }) => ({ name, actions: [...actions] })),
      ...(namesBcrypt(source) && { bcrypt: {} }),
    },
  };
}

const BCRYPT = /\brequire\(\s*(['"`])(?:bcrypt|bcryptjs|bcrypt-as-promised)\1\s*\)/;

/** True for a text that requires one of the packages that hash passwords. */
const namesBcrypt = (source: string): boolean => BCRYPT.test(source);

/** True for a text that hashes passwords, with a policy that does not grant it. */
export const lacksBcrypt = (source: string, { bcrypt }: Pick<PolicyGrants, 'bcrypt'>): boolean =>
  bcrypt.maxRounds === 0 && namesBcrypt(source);

/** What to do about it. */
export const bcryptNeeded = (policyFile: string): string =>
  `hashes passwords, and needs a policy beside it, \`${policyFile}\`, with \`"grants": {"bcrypt": {}}\``;

/** Names that the policy does not grant. */
export function missingGrants(
  { collections }: NamedGrants,
  granted: readonly Pick<CollectionGrant, 'name'>[],
): readonly string[] {
  return collections.map(({ name }) => name).filter((name) => !granted.some((grant) => grant.name === name));
}
