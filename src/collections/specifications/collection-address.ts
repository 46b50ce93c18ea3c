// Which addresses a collection may have, and which namespace its documents live in.
import type { ErrorItem } from '../../errors/errors.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { reservedVersionIssue } from '../../lib/reserved-versions.ts';
import type { Namespace } from '../../stores/ports.ts';
import type { CollectionAddress } from '../model/collection.ts';

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const MAX_NAME = 200;
// The narrowest bounds of any store hold on all, so that content can move from one to the other.
const MAX_DATABASE_NAME = 63;
const MAX_NAMESPACE = 255;
const RESERVED_DATABASES = ['admin', 'local', 'config'];
const RESERVED_PREFIXES = ['system.', 'cloister.'];

/** The name under which a specification has the documents stored: `model`, as on the older servers, else its own. */
export function storedNameOf(source: Json, { name }: Pick<CollectionAddress, 'name'>): string {
  const model = isJsonObject(source) ? source['model'] : undefined;
  return typeof model === 'string' && model !== '' ? model : name;
}

/** Where the documents of a collection live. The version is no part of it. */
export function namespaceOf(
  address: CollectionAddress,
  enableCollectionDatabases: boolean,
  storedName = address.name,
): Namespace {
  return {
    database: enableCollectionDatabases ? address.database : null,
    collection: storedName,
  };
}

/** The path of a collection. */
export function collectionPath({ version, database, name }: CollectionAddress): string {
  return `/${version}/${database}/${name}`;
}

function nameIssue(text: string): string | undefined {
  if (!NAME.test(text) || text.includes('..')) {
    return 'must be letters, digits, dots, dashes and underscores, without a leading or double dot';
  }
  return text.length > MAX_NAME ? `is longer than ${MAX_NAME} characters` : undefined;
}

function versionIssue(version: string): string | undefined {
  return reservedVersionIssue(version) ?? nameIssue(version);
}

/** What is wrong with the name of a database folder, if anything. */
export function databaseNameIssue(database: string): string | undefined {
  if (RESERVED_DATABASES.includes(database.toLowerCase())) return `\`${database}\` is reserved`;
  if (database.includes('.')) return 'must not have a dot';
  if (database.length > MAX_DATABASE_NAME) return `is longer than ${MAX_DATABASE_NAME} characters`;
  return nameIssue(database);
}

/** What is wrong with the name of a collection in `database`, if anything. */
export function collectionNameIssue(name: string, database: string): string | undefined {
  // The specification of a custom endpoint called like the database folder lives at this path.
  if (name === 'config') return '`config` is reserved';
  if (RESERVED_PREFIXES.some((prefix) => name.toLowerCase().startsWith(prefix))) {
    return `names that start with \`${name.slice(0, name.indexOf('.') + 1)}\` are reserved`;
  }
  if (database.length + 1 + name.length > MAX_NAMESPACE) {
    return `is, with its database, longer than ${MAX_NAMESPACE} characters`;
  }
  if (name.endsWith('.')) return 'must not end with a dot';
  return nameIssue(name);
}

/** What is wrong with an address; `field` names its part. */
export function checkCollectionAddress({ version, database, name }: CollectionAddress): readonly ErrorItem[] {
  const problems = [
    ['version', versionIssue(version)],
    ['database', databaseNameIssue(database)],
    ['collection', collectionNameIssue(name, database)],
  ] as const;
  return problems.flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
}
