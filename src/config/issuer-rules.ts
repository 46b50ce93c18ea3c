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

/** Checks issuers whose members are valid each. */
export function issuerIssues({ issuers }: Pick<Config['auth'], 'issuers'>): readonly RuleIssue[] {
  const messages = [
    ...issuers.flatMap(keySource),
    ...repeated(issuers, 'name'),
    ...repeated(issuers, 'issuer'),
  ];
  return messages.map((message) => ({ path: 'auth.issuers', message }));
}
