// A live collection as the registry holds it, with every default.
import { createCallers } from '../../src/auth/access/callers.ts';
import type { Client } from '../../src/auth/clients/client.ts';
import type { Collection, CollectionSettings, Field } from '../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';

const SETTINGS: CollectionSettings = {
  access: null,
  cache: true,
  authenticate: true,
  callback: null,
  pageSize: 40,
  sort: null,
  sortOrder: 1,
  defaultFilters: null,
  fieldLimiters: null,
  storeRevisions: false,
  revisionCollection: 'booksHistory',
  indexes: [],
  compose: false,
  media: false,
  signUploads: false,
  underscored: false,
  displayName: null,
  hooks: null,
};

/** A field that refers to another collection of the same database. */
export function reference(name: string, collection?: string): Field {
  return {
    name,
    type: 'Reference',
    required: false,
    message: undefined,
    default: undefined,
    validation: {},
    caseSensitive: false,
    reference: collection === undefined ? {} : { collection },
    access: undefined,
  };
}

interface CollectionOptions {
  readonly settings?: Partial<CollectionSettings>;
  readonly fields?: readonly Field[];
}

/** `/1.0/library/<name>`. */
export function collection(name: string, { settings, fields = [] }: CollectionOptions = {}): Collection {
  return {
    version: '1.0',
    database: 'library',
    name,
    path: `/1.0/library/${name}`,
    namespace: { database: null, collection: name },
    fields: new Map(fields.map((field) => [field.name, field])),
    settings: { ...SETTINGS, revisionCollection: `${name}History`, ...settings },
    source: {},
    implied: false,
    lastModifiedAt: undefined,
  };
}

export const ADMIN_CLIENT: Client = {
  id: '1',
  clientId: 'boss',
  accessType: 'admin',
  permissions: null,
  roles: [],
};
export const USER_CLIENT: Client = {
  id: '2',
  clientId: 'user',
  accessType: 'user',
  permissions: null,
  roles: [],
};

/** What a client may do with collections that keep no revisions of others. */
export const callerOf = createCallers(createCollectionRegistry());
