// Policies for what code names: grants for its collections and addresses, and a note for whatever its text does not say.

import { AppError } from '../../errors/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { PolicyParser } from '../../modules/policy/policy.ts';
import { MODEL_ACTIONS } from '../../modules/policy/policy-schema.ts';
import type { AddressUse, ModelUse, NamedAccess } from '../code/named-access.ts';
import { named } from '../report/report.ts';
import type { MigratedCollection } from '../site/site-contents.ts';

/** The module that asks for a policy. */
export interface PolicyOwner {
  /** Of a hook: its name. */
  readonly hook: string | undefined;
  /** Of an endpoint: its version. */
  readonly version: string | undefined;
}

export interface PolicyDraft {
  /** Undefined where nothing is asked for. */
  readonly text: string | undefined;
  /** What somebody has to grant, or look at. */
  readonly hands: readonly string[];
}

/** Methods of the older server's `Model`, and what they are granted as. */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ...MODEL_ACTIONS.map((action) => [action, action] as const),
  ['get', 'find'],
  ['getStats', 'stats'],
]);

const addressOf = ({ version, database, name }: MigratedCollection) => `${version}/${database}/${name}`;

/** The collections that a hook runs for; of an endpoint, those of its version. */
function nearCollections({ hook, version }: PolicyOwner, collections: readonly MigratedCollection[]) {
  if (hook === undefined) return collections.filter((collection) => collection.version === version);
  return collections.filter(({ hooks }) => hooks.has(hook));
}

/** The collections that a use may mean: those of its name near the module, else all of its name. */
function candidates(
  use: ModelUse,
  owner: PolicyOwner,
  collections: readonly MigratedCollection[],
): readonly MigratedCollection[] {
  const near = nearCollections(owner, collections);
  if (use.isOwn) return near;
  const sameName = collections.filter(({ name }) => name === use.name);
  const beside = sameName.filter(({ version, database }) =>
    near.some(
      (other) => other.version === version && (owner.hook === undefined || other.database === database),
    ),
  );
  return beside.length > 0 ? beside : sameName;
}

interface Grants {
  readonly collections: Map<string, Set<string>>;
  readonly fetch: Map<string, Set<string>>;
  readonly hands: string[];
}

function grantModel(
  grants: Grants,
  use: ModelUse,
  owner: PolicyOwner,
  collections: readonly MigratedCollection[],
): void {
  const { hands } = grants;
  const where = `line ${use.line}`;
  if (use.name === undefined && !use.isOwn) {
    hands.push(`${where}: which collection \`Model\` is called for is computed: grant it in the policy`);
    return;
  }
  const actions = use.methods.flatMap((method) => ACTIONS.get(method) ?? []);
  const meant = use.isOwn ? 'the collection of the hook' : named(use.name ?? '');
  const found = candidates(use, owner, collections);
  if (found.length === 0) {
    hands.push(
      use.isOwn
        ? `${where}: no collection has this hook: grant those that will`
        : `${where}: there is no collection ${meant}`,
    );
  } else if (actions.length === 0) {
    hands.push(`${where}: what is done with ${meant} cannot be read: grant the actions in the policy`);
  } else if (!use.isOwn && found.length > 1) {
    hands.push(
      `${where}: ${meant} may be ${found.map((one) => named(addressOf(one))).join(' or ')}: grant one, and name it so in the code`,
    );
  } else {
    for (const collection of found) {
      const address = addressOf(collection);
      grants.collections.set(address, new Set([...(grants.collections.get(address) ?? []), ...actions]));
    }
  }
}

function grantAddress({ fetch }: Grants, { url, isPrefix }: AddressUse): void {
  const path = isPrefix ? url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1) : url.pathname;
  fetch.set(url.origin, (fetch.get(url.origin) ?? new Set()).add(path));
}

const sorted = (texts: ReadonlySet<string>): Json => [...texts].sort();

function policyOf(collections: Grants['collections'], fetch: readonly Json[]): JsonObject | undefined {
  if (collections.size === 0 && fetch.length === 0) return undefined;
  const granted = [...collections].sort().map(([name, actions]) => ({ name, actions: sorted(actions) }));
  return {
    version: 1,
    grants: { ...(granted.length > 0 && { collections: granted }), ...(fetch.length > 0 && { fetch }) },
  };
}

/** What is wrong with a policy, in the words that an upload would get. */
async function issuesOf(policies: PolicyParser, policy: JsonObject): Promise<readonly string[]> {
  try {
    await policies.parse(policy);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ field = '', message }) => `${named(field)} ${message}`);
  }
}

/** The grants for addresses that the packaged limits of policies allow; the others are told. */
async function allowedFetch({ fetch, hands }: Grants, policies: PolicyParser): Promise<readonly Json[]> {
  const allowed: Json[] = [];
  for (const [origin, paths] of [...fetch].sort()) {
    const grant = { origin, paths: sorted(paths) };
    const issues = await issuesOf(policies, { version: 1, grants: { fetch: [grant] } });
    if (issues.length === 0) allowed.push(grant);
    else {
      const text = named(JSON.stringify(grant));
      hands.push(
        `put ${text} into \`grants.fetch\` of the policy limits (\`sandbox.policyFile\`) and of its policy`,
      );
    }
  }
  return allowed;
}

/** Drafts the policy of a module. */
export async function draftPolicy(
  access: NamedAccess,
  owner: PolicyOwner,
  {
    collections,
    policies,
  }: { readonly collections: readonly MigratedCollection[]; readonly policies: PolicyParser },
): Promise<PolicyDraft> {
  const grants: Grants = { collections: new Map(), fetch: new Map(), hands: [] };
  for (const use of access.models) grantModel(grants, use, owner, collections);
  for (const address of access.addresses) grantAddress(grants, address);
  for (const line of access.unnamedRequests) {
    grants.hands.push(`line ${line}: where the request goes is computed: grant the address in the policy`);
  }
  const policy = policyOf(grants.collections, await allowedFetch(grants, policies));
  if (policy === undefined) return { text: undefined, hands: grants.hands };
  const issues = await issuesOf(policies, policy);
  if (issues.length > 0)
    return {
      text: undefined,
      hands: [...grants.hands, ...issues.map((issue) => `no policy was written: ${issue}`)],
    };
  return { text: `${JSON.stringify(policy, null, 2)}\n`, hands: grants.hands };
}
