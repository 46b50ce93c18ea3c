// What the model of the access rules is about: callers, specifications, documents and their revisions, all of them plain values.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

export const ACTIONS = ['read', 'create', 'update', 'delete', 'history'] as const;
export type Action = (typeof ACTIONS)[number];

interface Permissions {
  readonly actions?: readonly Action[];
  readonly collections?: readonly {
    readonly path: string;
    readonly database?: string;
    readonly actions?: readonly Action[];
  }[];
}

export interface ModelCaller {
  readonly name: string;
  /** Null without a token. */
  readonly clientId: string | null;
  readonly roles: readonly string[];
  readonly isAdmin: boolean;
  /** Everything, unless given. */
  readonly permissions?: Permissions;
}

export interface Rule {
  readonly to: string | readonly string[];
  readonly where?: JsonObject;
}

export interface ModelField {
  readonly type: string;
  /** Of a Reference: the name of the collection that it leads to. */
  readonly collection?: string;
  readonly access?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
}

export interface ModelSpecification {
  readonly fields: Readonly<Record<string, ModelField>>;
  /** Undefined: the settings and permissions of old decide. */
  readonly access?: Readonly<Partial<Record<Action, readonly Rule[]>>>;
  readonly authenticate: boolean;
  readonly storeRevisions: boolean;
}

/** Fields, and `_id`, `v`, `createdAt`, `createdBy`, `lastModifiedBy`. */
export type ModelDocument = JsonObject & { readonly _id: string; readonly v: number };

interface Revision {
  readonly action: 'create' | 'update' | 'delete';
  readonly state: ModelDocument;
}

export interface ModelCollection {
  readonly name: string;
  /** The present one; another one may be put in force. */
  specification: ModelSpecification;
  readonly documents: Map<string, ModelDocument>;
  /** By the id of the document, also of removed ones. */
  readonly revisions: Map<string, Revision[]>;
}

/** By name. */
export type Collections = ReadonlyMap<string, ModelCollection>;

/** Names of a document that no specification declares. */
export const INTERNALS: ReadonlySet<string> = new Set([
  '_id',
  'v',
  'createdAt',
  'createdBy',
  'lastModifiedBy',
]);

/** What an answer must be: one of these statuses, and where the first of them is a success, this content. */
export interface Expected {
  readonly statuses: readonly number[];
  readonly results?: readonly JsonObject[];
  readonly totalCount?: number;
}

/** The specification as it is posted. */
export function toSource({ fields, access, authenticate, storeRevisions }: ModelSpecification): JsonObject {
  const source = Object.entries(fields).map(([name, { collection, ...field }]) => [
    name,
    { ...field, ...(collection === undefined ? {} : { settings: { collection } }) },
  ]);
  const settings = { authenticate, storeRevisions, ...(access === undefined ? {} : { access }) };
  return JSON.parse(JSON.stringify({ fields: Object.fromEntries(source), settings }));
}

/** The collection that a field leads to. */
export function targetOf(
  collections: Collections,
  { specification }: ModelCollection,
  field: string,
): ModelCollection | undefined {
  const name = specification.fields[field]?.collection;
  return name === undefined ? undefined : collections.get(name);
}

/** A reference as a list of what it holds. */
export const elementsOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value];
