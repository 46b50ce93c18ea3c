// Rules between the members of `auth.issuers`, which the schema of one member cannot say.
import type { Config } from './schema.ts';

/** What is wrong with settings that are valid each. */
export interface RuleIssue {
  /** Canonical path of the setting that is missing or wrong. */
  readonly path: string;
  readonly message: string;
}

type Issuers = Config['auth']['issuers'];

/** Tokens are told apart by `issuer`, users by `name`: neither may mean two. */
function repeated(issuers: Issuers, member: 'name' | 'issuer'): string[] {
  return issuers.flatMap((issuer, at) => {
    const first = issuers.findIndex((other) => other[member] === issuer[member]);
    return first === at ? [] : [`item ${at + 1}: ${member} is that of item ${first + 1} too`];
  });
}

function keySource({ jwksUrl, publicKey }: Issuers[number], at: number): string[] {
  if ((jwksUrl === undefined) !== (publicKey === undefined)) return [];
  const found = jwksUrl === undefined ? 'neither' : 'both';
  return [`item ${at + 1} needs either jwksUrl or publicKey, and has ${found}`];
}

/** Ids of clients and of users would be taken for each other. */
function adminOfIssuer({ issuers, admin }: Pick<Config['auth'], 'issuers' | 'admin'>): readonly RuleIssue[] {
  const owner = issuers.find(({ name }) => admin.id?.startsWith(`${name}:`));
  if (owner === undefined) return [];
  const message = `begins with ${owner.name}: as ids of users of the issuer ${owner.name} do; choose another one (CLOISTER_ADMIN_ID)`;
  return [{ path: 'auth.admin.id', message }];
}

/** Checks issuers whose members are valid each, and that the configured admin is none of their users. */
export function issuerIssues(auth: Pick<Config['auth'], 'issuers' | 'admin'>): readonly RuleIssue[] {
  const { issuers } = auth;
  const messages = [
    ...issuers.flatMap(keySource),
    ...repeated(issuers, 'name'),
    ...repeated(issuers, 'issuer'),
  ];
  return [...messages.map((message) => ({ path: 'auth.issuers', message })), ...adminOfIssuer(auth)];
}
