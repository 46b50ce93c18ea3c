// The access rules of a specification: which callers may do what with which documents and fields.

import type { AccessAction } from '../../lib/access-actions.ts';
import type { HttpMethod } from '../../lib/http/methods.ts';
import type { Filter } from '../../stores/filter.ts';

/** What the filter of a rule may ask of a caller. */
export interface CallerValues {
  /** Null: the caller has none, being anonymous. */
  readonly clientId: string | null;
  /** Null: the caller has no such list. */
  readonly roles: readonly string[] | null;
}

/** The `where` of a rule, checked. */
export interface RuleFilter {
  readonly usesClientId: boolean;
  readonly usesRoles: boolean;
  /** The filter for one caller; null where it asks for a value that the caller does not have. */
  bind(caller: CallerValues): Filter | null;
}

/** Allows an action to callers. */
export interface AccessRule {
  /** `anyone`, `clients`, a role, `client:<id>` or `user:<issuer>:<sub>`. */
  readonly to: readonly string[];
  /** The documents that it is about; undefined: all. */
  readonly where: RuleFilter | undefined;
}

/** Rules by action. An action without rules is for admins. */
export type AccessRules = Readonly<Partial<Record<AccessAction, readonly AccessRule[]>>>;

/** Who may read and who may write a field, each a list of callers; undefined: whoever may do so with the document. */
export interface FieldAccess {
  readonly read: readonly string[] | undefined;
  readonly write: readonly string[] | undefined;
}

const canonical = (method: string) => (method === 'HEAD' ? 'GET' : method);

/** True where `authenticate`, of a collection or an endpoint, asks for no token. Methods are upper-case; HEAD counts as GET. */
export function isPublic(authenticate: boolean | readonly string[], method: string): boolean {
  if (typeof authenticate === 'boolean') return !authenticate;
  return !authenticate.some((listed) => canonical(listed) === canonical(method));
}

/** The method that `authenticate` names for each action. */
const METHODS: Readonly<Record<AccessAction, HttpMethod>> = {
  read: 'GET',
  create: 'POST',
  update: 'PUT',
  delete: 'DELETE',
  history: 'GET',
};

interface OpenSettings {
  readonly authenticate: boolean | readonly string[];
  readonly media: boolean;
}

/** True where a collection without rules allows an action without a token. Files are written with a token only. */
export function needsNoToken({ authenticate, media }: OpenSettings, action: AccessAction): boolean {
  const method = METHODS[action];
  return (!media || method === 'GET') && isPublic(authenticate, method);
}

/** True for what needs a token whatever the rules say: files come from those who have one. */
export const needsToken = ({ media }: Pick<OpenSettings, 'media'>, action: AccessAction): boolean =>
  media && action === 'create';

/** True where anyone may do this with some of the documents. */
export function isOpenToAnyone(
  settings: OpenSettings & { readonly access: AccessRules | null },
  action: AccessAction,
): boolean {
  if (settings.access === null) return needsNoToken(settings, action);
  if (needsToken(settings, action)) return false;
  return (settings.access[action] ?? []).some(({ to }) => to.includes('anyone'));
}
