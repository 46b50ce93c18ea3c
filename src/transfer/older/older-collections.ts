// What the collections of an older database are: documents, revisions and of which documents, or the older server's own.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Namespace } from '../../stores/ports.ts';
import type { OlderDatabase } from './older-database.ts';

export const DEFAULT_CLIENT_COLLECTION = 'clientStore';

/** Collections of the older server itself, by the names that they have unless its configuration says otherwise. */
const SERVER_COLLECTIONS: ReadonlySet<string> = new Set([
  ...['tokenStore', 'accessStore', 'roleStore', 'keyStore', 'schemaStore'],
  ...['searchIndex', 'searchWords'],
]);

/** What the site here says of its collections. */
export interface OlderSite {
  /** Each database folder has a namespace of its own. */
  readonly separateDatabases: boolean;
  /** Names of the fields of a namespace whose dates are stored as ISO 8601 text. */
  dateFields(ns: Namespace): ReadonlySet<string>;
  /** Names of the fields of a namespace that hold a record of a file, or its id. */
  mediaFields(ns: Namespace): ReadonlySet<string>;
  /** Whether the documents of a namespace are records of files. */
  holdsRecords(ns: Namespace): boolean;
  /** The name of the collection with the revisions of a namespace; undefined where no specification says. */
  revisionCollection(ns: Namespace): string | undefined;
}

export type CollectionRole =
  | {
      readonly kind: 'documents' /** Where its revisions are, if their owner is in them alone. */;
      readonly versions?: string;
    }
  | {
      readonly kind: 'revisions';
      readonly owner: string /** Their collection here. */;
      readonly target: string;
    }
  | { readonly kind: 'clients' }
  | { readonly kind: 'server' };

interface RoleOptions {
  readonly site: Pick<OlderSite, 'separateDatabases' | 'revisionCollection'>;
  readonly clientCollection: string;
}

const HISTORY = 'History';
const VERSIONS = 'Versions';

/** The namespace here of a collection of the older database. */
export const namespaceHere = (
  { separateDatabases }: Pick<OlderSite, 'separateDatabases'>,
  { name }: Pick<OlderDatabase, 'name'>,
  collection: string,
): Namespace => ({ database: separateDatabases ? name : null, collection });

async function firstDocument(database: OlderDatabase, collection: string): Promise<JsonObject> {
  for await (const [first] of database.pages(collection, () => undefined)) return first ?? {};
  return {};
}

const isText = (value: unknown) => typeof value === 'string';

/** Whether a document is a client: the configuration may give their collection another name. */
const isClient = ({ clientId, secret, accessType, permissions, resources, ...more }: JsonObject) =>
  isText(clientId) &&
  isText(secret) &&
  (isText(accessType) ||
    permissions !== undefined ||
    resources !== undefined ||
    Object.keys(more).length <= 1);

/** Whether a document has these members, and no field beside them. */
const hasJust = (document: JsonObject, names: readonly string[]) =>
  names.every((name) => document[name] !== undefined) &&
  Object.keys(document).every((name) => name.startsWith('_') || names.includes(name));

/** Whether a document is a token, or what a client may do by its roles. */
const isServerRecord = ({ created: _, ...document }: JsonObject) =>
  hasJust(document, ['token', 'tokenExpire', 'value']) || hasJust(document, ['client', 'resource', 'access']);

/** The collections of a database by their roles. */
export async function findRoles(
  database: OlderDatabase,
  { site, clientCollection }: RoleOptions,
): Promise<ReadonlyMap<string, CollectionRole>> {
  const names = new Set(database.collections.map(({ name }) => name));
  const targetOf = (owner: string) =>
    site.revisionCollection(namespaceHere(site, database, owner)) ?? `${owner}${HISTORY}`;
  const owners = new Map([...names].map((owner) => [targetOf(owner), owner]));
  const baseOf = (name: string, suffix: string) =>
    name.endsWith(suffix) ? name.slice(0, -suffix.length) : '';

  /** A collection with a specification here holds documents, whatever they look like. */
  const isSpecified = (name: string) =>
    site.revisionCollection(namespaceHere(site, database, name)) !== undefined;

  const roleOf = async (name: string): Promise<CollectionRole> => {
    if (name === clientCollection) return { kind: 'clients' };
    if (SERVER_COLLECTIONS.has(name) && !isSpecified(name)) return { kind: 'server' };
    const owner = owners.get(name);
    if (owner !== undefined && owner !== name) return { kind: 'revisions', owner, target: name };
    const first = await firstDocument(database, name);
    if (isClient(first) && !isSpecified(name)) return { kind: 'clients' };
    if (isServerRecord(first) && !isSpecified(name)) return { kind: 'server' };
    const history = baseOf(name, HISTORY);
    if (history !== '' && isRevision(first))
      return { kind: 'revisions', owner: history, target: targetOf(history) };
    const versions = baseOf(name, VERSIONS);
    if (versions !== '' && first['_document'] !== undefined)
      return { kind: 'revisions', owner: versions, target: targetOf(versions) };
    for (const kept of [targetOf(name), `${name}${VERSIONS}`]) {
      const hasVersions = names.has(kept) && (await firstDocument(database, kept))['_document'] !== undefined;
      if (hasVersions) return { kind: 'documents', versions: kept };
    }
    return { kind: 'documents' };
  };
  const roles: (readonly [string, CollectionRole])[] = [];
  for (const name of names) roles.push([name, await roleOf(name)]);
  return new Map(roles);
}

const isRevision = (document: JsonObject) =>
  ['originalDocumentId', '_originalDocumentId', '_document'].some((name) => document[name] !== undefined);
