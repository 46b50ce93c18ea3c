// One document of an import: checked, with its ids in the form in which the store keeps them.
import { sizeIssue } from '../collections/model/stored-document.ts';
import { AppError } from '../errors/errors.ts';
import { isId } from '../lib/ids.ts';
import { findJsonIssue, type Json, type JsonIssue, type JsonObject } from '../lib/json/json.ts';
import { escapeLine } from '../lib/printable-text.ts';
import type { Namespace, StoredDocument } from '../stores/ports.ts';
import { findNamespaceIssue, isServerNamespace } from './namespaces.ts';

export interface ImportEntry {
  /** Where it was read, for the operator: `line 3`, for example. */
  readonly place: string;
  readonly ns: Namespace;
  /** `_id` is its last member. */
  readonly document: StoredDocument;
  /** Its JSON. */
  readonly text: string;
}

/** The error for what was read at `place`. `message` is for the operator, `cause` for developers. */
export function importError(place: string, message: string, cause?: unknown): AppError {
  // A place may be the name of a file, or an id, as somebody else chose it.
  return new AppError('DOCUMENT_INVALID', { message: `${escapeLine(place)}: ${message}`, cause });
}

/** The fields whose values are ids, by namespace. */
type IdFields = (ns: Namespace) => ReadonlySet<string>;

export interface ImportSite {
  /** Each database folder has a namespace of its own. */
  readonly separateDatabases: boolean;
  /** Whether the server's own documents are taken too: from a backup. */
  readonly withServerData?: boolean;
  readonly idFields: IdFields;
}

const joined = (name: string, path: string) => (path === '' ? name : `${name}.${path}`);

const lowerCaseId = (value: Json): Json => (isId(value) ? value.toLowerCase() : value);
const lowerCaseIds = (value: Json): Json =>
  Array.isArray(value) ? value.map(lowerCaseId) : lowerCaseId(value);

/** Ids in upper case are the same ids everywhere else: stored as they are, nothing would lead to them. */
function withLowerCaseIds(fields: JsonObject, idFields: ReadonlySet<string>): JsonObject {
  const lowered = Object.entries(fields).map(([name, value]): [string, Json] => [
    name,
    idFields.has(name) ? lowerCaseIds(value) : value,
  ]);
  return Object.fromEntries(lowered);
}

interface ReadEntry {
  readonly place: string;
  readonly ns: Namespace;
  readonly document: JsonObject;
  /** Finds an integer that no number holds exactly, in the text of the document. Default: there is none. */
  readonly findInexact?: () => JsonIssue | undefined;
}

/** Checks a document. Throws DOCUMENT_INVALID for one that is not valid for a site of this kind. */
export function createImportEntry(
  { place, ns, document: read, findInexact = () => undefined }: ReadEntry,
  { separateDatabases, withServerData = false, idFields }: ImportSite,
): ImportEntry {
  const isServerData = withServerData && isServerNamespace(ns);
  const unreachable = isServerData ? undefined : findNamespaceIssue(ns, separateDatabases);
  if (unreachable !== undefined) throw importError(place, unreachable);
  const issue = findJsonIssue(read, findInexact);
  if (issue !== undefined) throw importError(place, `\`${joined('document', issue.path)}\` ${issue.message}`);
  const { _id, ...fields } = read;
  if (typeof _id !== 'string' || _id === '') throw importError(place, '`document._id` must be text');
  const document = {
    ...withLowerCaseIds(fields, idFields(ns)),
    _id: isId(_id) ? _id.toLowerCase() : _id,
  };
  const text = JSON.stringify(document);
  const size = sizeIssue(document, text);
  if (size !== undefined) throw importError(place, `the document ${size}`);
  return { place, ns, document, text };
}
