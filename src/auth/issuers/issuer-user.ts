// The user whom the verified claims of an issuer's token name, as a client.
import { type Client, isRole, MAX_ROLES } from '../clients/client.ts';

/** An issuer as the configuration has it. */
export interface Issuer {
  readonly name: string;
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** The `aud` that its tokens for this server have. */
  readonly audience: string;
  /** The claim with the roles: a path with dots, or its segments. */
  readonly roles?: string | readonly string[] | undefined;
}

/** Why claims name nobody. The words are for the log. */
export class ClaimError extends Error {
  override name = 'ClaimError';
  readonly claim: string;

  constructor(claim: string, message: string) {
    super(message);
    this.claim = claim;
  }
}

type Claims = Readonly<Record<string, unknown>>;

/** As OpenID Connect has it. */
const MAX_SUBJECT_LENGTH = 255;

// Control and format characters, separators of lines: two users must not look like one in a log.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function readSubject({ sub }: Claims): string {
  const fits =
    typeof sub === 'string' &&
    sub !== '' &&
    sub.length <= MAX_SUBJECT_LENGTH &&
    sub.isWellFormed() &&
    !UNPRINTABLE.test(sub);
  if (!fits)
    throw new ClaimError('sub', `is not text of 1 to ${MAX_SUBJECT_LENGTH} characters that can be printed`);
  return sub;
}

function valueAt(claims: Claims, path: string | readonly string[]): unknown {
  let value: unknown = claims;
  for (const segment of typeof path === 'string' ? path.split('.') : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Claims)[segment];
  }
  return value;
}

/** Names that mean something else are left out. Too many are an error: fewer roles could widen a rule with `$not`. */
function readRoles(claims: Claims, path: Issuer['roles']): readonly string[] {
  const value = path === undefined ? [] : valueAt(claims, path);
  const names = (Array.isArray(value) ? value : [value]).filter(isRole);
  const roles = [...new Set(names)];
  if (roles.length > MAX_ROLES) throw new ClaimError('roles', `are more than ${MAX_ROLES}`);
  return roles;
}

/** A user of an issuer, who has no record: all that is known is what the issuer says. */
export function createUser(issuer: string, clientId: string, roles: readonly string[]): Client {
  return { id: clientId, clientId, accessType: 'user', permissions: null, roles, issuer };
}

/** Reads the user of verified claims. Throws a ClaimError. */
export function readUser({ name, roles }: Issuer, claims: Claims): Client {
  // No client of our own has such an id.
  return createUser(name, `${name}:${readSubject(claims)}`, readRoles(claims, roles));
}
