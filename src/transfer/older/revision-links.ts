// Documents and revisions of an older server, linked as ours are: a document lists the ids of its revisions, a revision names its
// document. Releases before 1.16.9 and 2.1.0 wrote only the first of these, those from 5.0 on only the second.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { OlderDatabase } from './older-database.ts';

const HISTORY: readonly string[] = ['history', '_history'];
const OWNERS: readonly string[] = ['originalDocumentId', '_originalDocumentId', '_document'];

/** A search may read a whole collection: this many pages at a time share one. */
const PAGES_PER_SEARCH = 4;

/** The same documents in fewer, longer pages. */
export async function* joinPages(
  pages: AsyncIterable<readonly JsonObject[]>,
): AsyncGenerator<readonly JsonObject[]> {
  let joined: (readonly JsonObject[])[] = [];
  for await (const page of pages) {
    joined.push(page);
    if (joined.length < PAGES_PER_SEARCH) continue;
    yield joined.flat();
    joined = [];
  }
  if (joined.length > 0) yield joined.flat();
}

const texts = (values: readonly (Json | undefined)[]) =>
  values.filter((value): value is string => typeof value === 'string');

const hasAny = (document: JsonObject, names: readonly string[]) =>
  names.some((name) => document[name] !== undefined && document[name] !== null);

const versionOf = ({ _version, v }: JsonObject): number => {
  const version = _version ?? v;
  return typeof version === 'number' ? version : 0;
};

/** Documents with the ids of their revisions, which are in `versions`. Those that list any stay as they are. */
export async function withRevisionIds(
  documents: readonly JsonObject[],
  { database, versions }: { readonly database: OlderDatabase; readonly versions: string },
): Promise<readonly JsonObject[]> {
  const values = texts(documents.filter((one) => !hasAny(one, HISTORY)).map(({ _id }) => _id));
  if (values.length === 0) return documents;
  const query = { member: '_document', values, include: ['_document', '_version', 'v'] };
  const found = await database.findByMember(versions, query);
  const byOwner = Map.groupBy(found, ({ _document }) => _document);
  return documents.map((document) => {
    if (hasAny(document, HISTORY)) return document;
    const own = byOwner.get(document['_id'] ?? null) ?? [];
    const ids = own.toSorted((one, other) => versionOf(one) - versionOf(other)).map(({ _id = null }) => _id);
    const name = document['_version'] === undefined ? 'history' : '_history';
    return ids.length === 0 ? document : { ...document, [name]: ids };
  });
}

/** Revisions with the ids of their documents, which are in `owner` and list them. Those that name theirs stay as they are. */
export async function withOwners(
  revisions: readonly JsonObject[],
  { database, owner }: { readonly database: OlderDatabase; readonly owner: string },
): Promise<readonly JsonObject[]> {
  const values = texts(revisions.filter((one) => !hasAny(one, OWNERS)).map(({ _id }) => _id));
  if (values.length === 0 || !database.collections.some(({ name }) => name === owner)) return revisions;
  const owners = new Map<Json, Json>();
  for (const member of HISTORY) {
    for (const document of await database.findByMember(owner, { member, values, include: [member] })) {
      const ids = document[member];
      for (const id of Array.isArray(ids) ? ids : []) owners.set(id, document['_id'] ?? null);
    }
  }
  return revisions.map((revision) => {
    const found = hasAny(revision, OWNERS) ? undefined : owners.get(revision['_id'] ?? null);
    return found === undefined ? revision : { ...revision, originalDocumentId: found };
  });
}
