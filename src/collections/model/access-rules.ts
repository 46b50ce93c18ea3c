// The access rules of a specification: which callers may do what with which documents and fields.

import type { AccessAction } from '../../lib/access-actions.ts';
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
