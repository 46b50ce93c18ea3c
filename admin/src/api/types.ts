// What the server answers. The one place for these types: written by hand, to be replaced by those of the API description.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export type Action = 'read' | 'create' | 'update' | 'delete' | 'history';
export const ACTIONS: readonly Action[] = ['read', 'create', 'update', 'delete', 'history'];

export interface EndpointPermission {
  readonly path: string;
  readonly apiVersion?: string;
}

export interface CollectionPermission extends EndpointPermission {
  readonly database?: string;
  readonly actions?: readonly Action[];
}

export interface Permissions {
  readonly actions?: readonly Action[];
  readonly collections?: readonly CollectionPermission[];
  readonly endpoints?: readonly EndpointPermission[];
}

export type AccessType = 'admin' | 'user';

export interface Client {
  readonly clientId: string;
  readonly accessType: AccessType;
  readonly reviewer?: true;
  readonly roles?: readonly string[];
  readonly permissions?: Permissions;
}

/** The answer where the secret was generated: it is shown once. */
export interface ClientWithSecret extends Client {
  readonly secret?: string;
}

export interface Results<T> {
  readonly results: readonly T[];
}

/** `POST /token`. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** What the caller may do with one collection. */
export interface CollectionRights {
  /** `/1.0/library/books` */
  readonly path: string;
  readonly actions: readonly Action[];
  /** Its documents are records of files. */
  readonly isMedia?: true;
}

/** `GET /api/me`. */
export interface Me extends Client {
  /** Of users of an identity provider: its name. */
  readonly issuer?: string;
  /** Collections with which the caller may do anything at all. */
  readonly collections: readonly CollectionRights[];
}

export interface CollectionEntry {
  readonly version: string;
  readonly database: string;
  readonly name: string;
  readonly slug: string;
  readonly path: string;
  readonly lastModifiedAt?: number;
  /** Media collections only. */
  readonly type?: string;
}

export interface CollectionList {
  readonly collections: readonly CollectionEntry[];
}

export interface AuditEntry {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly clientId: string | null;
  readonly action: string;
  readonly target: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly requestId?: string;
  readonly address?: string;
  readonly policy?: { readonly before: string | null; readonly after: string | null };
  /** Id of the key that signed it. */
  readonly key: string;
  readonly hash: string;
  readonly previous: string;
}

export interface AuditPage {
  readonly audit: readonly AuditEntry[];
}

export interface AuditIssue {
  readonly kind: 'changed' | 'missing' | 'moved' | 'replaced' | 'truncated' | 'noted';
  readonly seq: number;
  readonly to?: number;
  readonly entry?: AuditEntry;
}

/** `GET /api/audit/verify`: of one part of the log. */
export interface AuditVerification {
  /** Valid entries. */
  readonly count: number;
  readonly last?: { readonly seq: number; readonly at: number };
  readonly isAnchored: boolean;
  /** False: there are more entries to verify. */
  readonly isComplete: boolean;
  readonly issue?: AuditIssue;
  readonly unknownKey?: { readonly id: string; readonly seq: number };
}

/** Members that are absent keep their value; `permissions: null` lifts every restriction. */
export interface ClientChange {
  readonly accessType?: AccessType;
  readonly roles?: readonly string[];
  readonly permissions?: Permissions | null;
}

export interface NewClientBody extends ClientChange {
  readonly clientId: string;
  /** The server makes one where it is absent. */
  readonly secret?: string;
}
