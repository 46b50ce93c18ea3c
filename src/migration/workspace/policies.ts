// Policies for what code names: grants for its collections and addresses, and a note for whatever its text does not say.

import { AppError } from '../../errors/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { PolicyParser } from '../../modules/policy/policy.ts';
import type { AddressUse, ConfigUse, NamedAccess } from '../../modules/source-text/named-access.ts';
import {
  addressOf,
  type CodeOwner,
  findNamedGrants,
  type NamedGrants,
  type UnclearUse,
} from '../../modules/source-text/named-grants.ts';
import { named } from '../report/report.ts';
import { valueAt } from '../settings/settings-plan.ts';
import type { MigratedCollection } from '../site/site-contents.ts';

export interface PolicyDraft {
  /** Undefined where nothing is asked for. */
  readonly text: string | undefined;
  /** What somebody has to grant, or look at. */
  readonly hands: readonly string[];
  /** Settings whose values it has. */
  readonly config: readonly string[];
}

interface Grants {
  readonly fetch: Map<string, Set<string>>;
  readonly hands: string[];
}

function unclearText({ line, why, name, isOwn, candidates }: UnclearUse): string {
  const meant = isOwn ? 'the collection of the hook' : named(name ?? '');
  const where = `line ${line}: `;
  if (why === 'computed')
    return `${where}which collection \`Model\` is called for is computed: grant it in the policy`;
  if (why === 'unread')
    return `${where}what is done with ${meant} cannot be read: grant the actions in the policy`;
  if (why === 'several')
    return `${where}${meant} may be ${candidates.map(named).join(' or ')}: grant one, and name it so in the code`;
  return isOwn
    ? `${where}no collection has this hook: grant those that will`
    : `${where}there is no collection ${meant}`;
}

function grantAddress({ fetch }: Grants, { url, isPrefix }: AddressUse): void {
  const path = isPrefix ? url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1) : url.pathname;
  fetch.set(url.origin, (fetch.get(url.origin) ?? new Set()).add(path));
}

const sorted = (texts: ReadonlySet<string>): Json => [...texts].sort();

function policyOf(
  { collections }: NamedGrants,
  fetch: readonly Json[],
  { config, usesBcrypt }: { readonly config: JsonObject; readonly usesBcrypt: boolean },
): JsonObject | undefined {
  const grants = {
    ...(collections.length > 0 && {
      collections: collections.map(({ name, actions }) => ({ name, actions: [...actions] })),
    }),
    ...(fetch.length > 0 && { fetch }),
    ...(Object.keys(config).length > 0 && { config }),
    ...(usesBcrypt && { bcrypt: {} }),
  };
  return Object.keys(grants).length === 0 ? undefined : { version: 1, grants };
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

/** Members of settings whose values are secrets: code never sees these. */
const SECRET = /pass(?:word|phrase)?$|secret|token|credential|key$|^(?:dsn|salt)$/i;
/** User and password in an address. */
const LOGIN = /:\/\/[^/\s@]*:[^/\s@]*@/;

function holdsSecret(name: string, value: Json): boolean {
  if (SECRET.test(name.slice(name.lastIndexOf('.') + 1))) return true;
  if (typeof value === 'string') return LOGIN.test(value);
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([member, inner]) => holdsSecret(member, inner))
  );
}

/** Values of the older configuration that the code asks for by name. */
function grantedConfig(uses: readonly ConfigUse[], settings: JsonObject, hands: string[]): JsonObject {
  const config: { [name: string]: Json } = {};
  for (const { name, line } of uses) {
    const value = name === undefined ? undefined : valueAt(settings, name);
    const where = `line ${line}: `;
    if (name === undefined)
      hands.push(
        `${where}which setting is read is computed: put its value into \`grants.config\` of the policy`,
      );
    else if (value === undefined)
      hands.push(
        `${where}there is no setting ${named(name)}: put a value into \`grants.config\` of the policy`,
      );
    else if (holdsSecret(name, value))
      hands.push(
        `${where}${named(name)} holds a secret, which code does not see: \`sandbox.secrets\` puts it into a header of \`fetch\``,
      );
    else config[name] = value;
  }
  return config;
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ['create', 'POST'],
  ['update', 'PUT'],
  ['delete', 'DELETE'],
]);

/** Code runs with the rights of whoever calls it, which on the older server was nobody: it had all of them. */
function openUses(
  { collections: granted }: NamedGrants,
  isOpen: boolean,
  collections: readonly MigratedCollection[],
): readonly string[] {
  if (!isOpen) return [];
  return granted.flatMap(({ name, actions }) => {
    const collection = collections.find((one) => addressOf(one) === name);
    const closed = actions.filter(
      (action) => collection?.openMethods.has(METHODS.get(action) ?? 'GET') !== true,
    );
    if (closed.length === 0) return [];
    return [
      `it runs for requests without a token, which may not ${closed.map(named).join(', ')} in ${named(name)}: put \`"as": "client:<id>"\` into the grant, and allow it in the policy limits`,
    ];
  });
}

interface DraftOptions {
  readonly collections: readonly MigratedCollection[];
  readonly policies: PolicyParser;
  /** The older configuration. */
  readonly settings: JsonObject;
  /** Whether it runs for requests without a token. */
  readonly isOpen: boolean;
  /** Whether it hashes passwords. */
  readonly usesBcrypt: boolean;
}

/** Drafts the policy of a module. */
export async function draftPolicy(
  access: NamedAccess,
  owner: CodeOwner,
  { collections, policies, settings, isOpen, usesBcrypt }: DraftOptions,
): Promise<PolicyDraft> {
  const found = findNamedGrants(access.models, owner, collections);
  const grants: Grants = {
    fetch: new Map(),
    hands: [...found.unclear.map(unclearText), ...openUses(found, isOpen, collections)],
  };
  for (const address of access.addresses) grantAddress(grants, address);
  for (const line of access.unnamedRequests) {
    grants.hands.push(`line ${line}: where the request goes is computed: grant the address in the policy`);
  }
  const config = grantedConfig(access.configs, settings, grants.hands);
  const policy = policyOf(found, await allowedFetch(grants, policies), { config, usesBcrypt });
  const { hands } = grants;
  if (policy === undefined) return { text: undefined, hands, config: [] };
  const issues = await issuesOf(policies, policy);
  if (issues.length > 0) {
    const refused = issues.map((issue) => `no policy was written: ${issue}`);
    return { text: undefined, hands: [...hands, ...refused], config: [] };
  }
  return { text: `${JSON.stringify(policy, null, 2)}\n`, hands, config: Object.keys(config) };
}
