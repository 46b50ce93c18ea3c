// What ids of clients, roles and issuers look like, wherever one is written: in records, tokens, rules, policies and settings.

/** The source of a pattern. A path segment: no slash, no space, and neither `.` nor `..`. */
export const CLIENT_ID = '[A-Za-z0-9_][A-Za-z0-9_.@:+~-]{0,199}';
const WHOLE_CLIENT_ID = new RegExp(`^${CLIENT_ID}$`);

export const MAX_ROLE_LENGTH = 100;
const ROLE = /^[A-Za-z0-9_-]+$/;
const ISSUER = /^[A-Za-z0-9-]{1,50}$/;

/** True for a valid client id: 1 to 200 of A-Z a-z 0-9 `_ . @ : + ~ -`, beginning with a letter, digit or `_`. */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && WHOLE_CLIENT_ID.test(value);
}

/** True for the name of a role, reserved ones included: 1 to 100 of A-Z a-z 0-9 `_ -`. */
export const isRoleName = (text: string): boolean => text.length <= MAX_ROLE_LENGTH && ROLE.test(text);

/** True for the name of an issuer: 1 to 50 of A-Z a-z 0-9 `-`. */
export const isIssuerName = (text: string): boolean => ISSUER.test(text);

/** True for `client:` and a client id, as rules and policies name a client. */
export const isNamedClient = (text: string): boolean =>
  text.startsWith('client:') && isClientId(text.slice('client:'.length));

/** True for `user:`, the name of an issuer, `:` and what the issuer calls its user, as rules name one. */
export function isNamedUser(text: string): boolean {
  const [kind, issuer = '', ...subject] = text.split(':');
  return kind === 'user' && isIssuerName(issuer) && subject.join(':') !== '';
}
