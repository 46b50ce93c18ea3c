// A live collection: a specification with every default filled in, and what tells of its fields and of other collections.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Direction, type IndexDefinition, type Namespace, namespaceKey } from '../../stores/ports.ts';
import type { AccessRules, FieldAccess } from './access-rules.ts';
import { FIELD_TYPES, type FieldType } from './fields/field-types.ts';
import type { ComposeDepth } from './read-parameters.ts';

export const HOOK_EVENTS = [
  'beforeCreate',
  'afterCreate',
  'beforeGet',
  'afterGet',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** One entry of a list in `settings.hooks`. */
export interface HookUse {
  readonly name: string;
  /** What the specification gives to the hook beside the data. */
  readonly options: Json | undefined;
}

/** The hooks of a collection, in the order in which they run. No list is empty. */
export type HookPlan = Readonly<Partial<Record<HookEvent, readonly HookUse[]>>>;

interface LinearPattern {
  /** Work for each character of a text, in instructions of the engine. */
  readonly size: number;
  readonly test: (text: string) => boolean;
}

export interface PatternRule {
  readonly pattern: string;
  readonly flags: string;
  /** The pattern in the linear-time engine. Undefined when it is beyond that engine: it then runs on a worker. */
  readonly linear: LinearPattern | undefined;
}

export interface FieldValidation {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly regex?: PatternRule;
  /** Rules for what a value says, not for its text. Instants in milliseconds since 1970, exclusive. */
  readonly value?: { readonly before?: number; readonly after?: number; readonly integer?: true };
}

/** Where a Reference field points. Absent members mean "the same as the collection that holds the field". */
export interface ReferenceSettings {
  readonly database?: string;
  readonly collection?: string;
  /** Fields of the referenced document that composition returns. */
  readonly fields?: readonly string[];
  /** Resolve the references of the referenced document too. */
  readonly compose?: boolean;
}

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly message: string | undefined;
  /** Undefined when the specification names none: every other value, false and null included, is applied. */
  readonly default: Json | undefined;
  readonly validation: FieldValidation;
  /** `matchType: "exact"`: plain equality minds the case. */
  readonly caseSensitive: boolean;
  readonly reference: ReferenceSettings;
  readonly access: FieldAccess | undefined;
}

/** A field of this type that a specification need not declare: optional, without default or validation. */
export function createPlainField(name: string, type: FieldType, caseSensitive: boolean): Field {
  return {
    name,
    type,
    caseSensitive,
    required: false,
    message: undefined,
    default: undefined,
    validation: {},
    reference: {},
    access: undefined,
  };
}

export interface CollectionSettings {
  readonly cache: boolean;
  /** Null: `authenticate` and the permissions of clients decide. */
  readonly access: AccessRules | null;
  /** True or false for all methods, or the upper-case methods that need a token. Without effect beside `access`. */
  readonly authenticate: boolean | readonly string[];
  readonly callback: string | null;
  readonly pageSize: number;
  readonly sort: string | null;
  readonly sortOrder: Direction;
  readonly defaultFilters: JsonObject | null;
  readonly fieldLimiters: Readonly<Record<string, 0 | 1>> | null;
  readonly storeRevisions: boolean;
  /** Already resolved: `{name}History` unless the specification names one. */
  readonly revisionCollection: string;
  readonly indexes: readonly IndexDefinition[];
  readonly compose: ComposeDepth;
  readonly media: boolean;
  readonly signUploads: boolean;
  /** `internals: "underscored"`: clients know the internals as `_createdAt`, `_version` and so on. */
  readonly underscored: boolean;
  readonly displayName: string | null;
  /** Null when none is named: then nothing here costs anything. */
  readonly hooks: HookPlan | null;
}

/** How a collection is addressed over HTTP. */
export interface CollectionAddress {
  readonly version: string;
  readonly database: string;
  readonly name: string;
}

export interface Collection extends CollectionAddress {
  /** `/<version>/<database>/<name>` */
  readonly path: string;
  readonly namespace: Namespace;
  readonly fields: ReadonlyMap<string, Field>;
  readonly settings: CollectionSettings;
  /** The specification as it was posted, unknown members included. */
  readonly source: JsonObject;
  /** True where nobody gave a specification: the default bucket of media, which other specifications refer to. */
  readonly implied: boolean;
  /** Epoch milliseconds of the last change of the specification, where known. */
  readonly lastModifiedAt: number | undefined;
}

/** Fields that the server itself writes into documents. Callers can read and filter by them, never set them. */
export const INTERNAL_FIELDS: readonly string[] = [
  '_id',
  'apiVersion',
  'v',
  'history',
  'createdAt',
  'createdBy',
  'lastModifiedAt',
  'lastModifiedBy',
  'composed',
];

/** Collections that need no specification, where others are as they are. Nothing is implied at a path of `withheld`. */
export type ImpliedCollections = (
  specified: readonly Collection[],
  withheld: ReadonlySet<string>,
) => readonly Collection[];

export interface CollectionRegistry {
  get(version: string, database: string, name: string): Collection | undefined;
  /** Sorted by path. */
  list(): readonly Collection[];
  put(collection: Collection): void;
  remove(address: CollectionAddress): void;
  /** Lets nothing be implied here until `put` or `remove`: there is a specification, which cannot be read. */
  withhold(address: CollectionAddress): void;
  /** The collections as they would be with another specification at a path, or with none. */
  replacing(path: string, collection: Collection | undefined): Pick<CollectionRegistry, 'get' | 'list'>;
  /** Every live collection whose documents live in this namespace: same name, another version or folder. */
  withNamespace(namespace: Namespace): readonly Collection[];
  /** True when another collection keeps its revisions under this one's name: its path then only reads. */
  isRevisionCollection(collection: Collection): boolean;
  /** True when a collection with access rules, of its documents or of a field, keeps its revisions under this one's name. */
  keepsRuledRevisions(collection: Collection): boolean;
  /** True when its documents are media records: of its own, or of a media collection that shares them. */
  holdsRecords(collection: Collection): boolean;
}

/** A text key for one document of a namespace, fit for a Map. */
export function documentKey(namespace: Namespace, id: string): string {
  return `${namespaceKey(namespace)}/${id.toLowerCase()}`;
}

/** The collection that somebody gave a specification at an address. */
export function specifiedAt(
  registry: Pick<CollectionRegistry, 'get'>,
  { version, database, name }: CollectionAddress,
): Collection | undefined {
  const found = registry.get(version, database, name);
  return found?.implied ? undefined : found;
}

/** True when the result of a read depends on hooks, and not only on its parameters and on who may read what. */
export function hasReadHooks({ settings: { hooks } }: Pick<Collection, 'settings'>): boolean {
  return hooks !== null && (hooks.beforeGet !== undefined || hooks.afterGet !== undefined);
}

/** True for a field whose values are ids of documents. */
export function isReference(field: Field | undefined): field is Field {
  return field !== undefined && FIELD_TYPES[field.type].reference === true;
}

/** The Reference fields of a collection. */
export function referenceFields({ fields }: Pick<Collection, 'fields'>): readonly Field[] {
  return [...fields.values()].filter(isReference);
}

/**
 * The live collection behind a Reference field, in the same version; undefined where there is none. Where the folders
 * share their documents, a database that is named but has no such collection means the field's own.
 */
export function referenceTarget(
  registry: Pick<CollectionRegistry, 'get'>,
  { version, database: own, name: self, namespace }: Collection,
  { reference }: Field,
): Collection | undefined {
  const { database = own, collection = self } = reference;
  const named = registry.get(version, database, collection);
  return named ?? (namespace.database === null ? registry.get(version, own, collection) : undefined);
}
