// Lines of an imported file: splits a stream into lines and parses each, a document and its namespace.

import { isUtf8 } from 'node:buffer';
import { sizeIssue } from '../collections/model/stored-document.ts';

import { AppError } from '../errors/errors.ts';
import { isId } from '../lib/ids.ts';
import { findInexactInteger } from '../lib/json/inexact-integers.ts';
import { findJsonIssue, isJsonObject, type Json, type JsonObject, MAX_JSON_DEPTH } from '../lib/json/json.ts';
import { scanJson } from '../lib/json/json-scan.ts';
import { describeSyntaxError, parseJsonText } from '../lib/json/json-syntax.ts';
import type { Namespace, StoredDocument } from '../stores/ports.ts';
import { findNamespaceIssue, isServerNamespace } from './namespaces.ts';

interface InputLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line feed. */
  readonly bytes: Uint8Array;
  /** False for the bytes after the last line feed. */
  readonly ended: boolean;
}

const LINE_FEED = 0x0a;

/** The error for a line of the file. `message` is for the operator, `cause` for developers. */
export function importLineError(line: number, message: string, cause?: unknown): AppError {
  return new AppError('DOCUMENT_INVALID', { message: `line ${line}: ${message}`, cause });
}

/** Yields the lines of `source`. Throws DOCUMENT_INVALID for one above `maxBytes` before all of it is in memory. */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) throw importLineError(number, `is longer than ${maxBytes} bytes`);
    parts.push(part);
  };
  const take = (ended: boolean): InputLine => {
    const [only] = parts;
    const line = {
      number,
      bytes: parts.length === 1 && only !== undefined ? only : Buffer.concat(parts),
      ended,
    };
    parts = [];
    length = 0;
    number += 1;
    return line;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield take(false);
}

export interface ImportEntry {
  readonly line: number;
  readonly ns: Namespace;
  /** `_id` is its last member. */
  readonly document: StoredDocument;
  /** Its JSON. */
  readonly text: string;
}

const SHAPE = 'must be {"database": null or text, "collection": text, "document": {…}}';
const MEMBERS = ['database', 'collection', 'document'];
/** The line is an object around the document. */
const LINE_DEPTH = MAX_JSON_DEPTH + 1;

/** The value of a line, and its text. */
function parseLine({ number, bytes, ended }: InputLine): { readonly value: unknown; readonly text: string } {
  if (scanJson(bytes).depth > LINE_DEPTH) {
    throw importLineError(number, `is nested deeper than ${LINE_DEPTH} levels`);
  }
  const incomplete = () => importLineError(number, 'is not complete: the file ends within it');
  if (!isUtf8(bytes)) throw ended ? importLineError(number, 'is not valid UTF-8') : incomplete();
  const text = new TextDecoder().decode(bytes);
  const parsed = parseJsonText(text);
  if ('value' in parsed) return { value: parsed.value, text };
  throw ended ? importLineError(number, describeSyntaxError(parsed.error, false)) : incomplete();
}

function readSpace(database: Json | undefined, collection: Json | undefined): Namespace | undefined {
  if (database !== null && typeof database !== 'string') return undefined;
  return typeof collection === 'string' ? { database, collection } : undefined;
}

const joined = (name: string, path: string) => (path === '' ? name : `${name}.${path}`);

/** The fields whose values are ids, by namespace. */
type IdFields = (ns: Namespace) => ReadonlySet<string>;

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

interface LineOptions {
  readonly line: number;
  readonly idFields: ReadonlySet<string>;
}

/** The document of a line, whose whole text is given. */
function readDocument(value: JsonObject, text: string, { line, idFields }: LineOptions): StoredDocument {
  const findInexact = () => {
    const found = findInexactInteger(text);
    // The other members of a line are no numbers.
    return found && { ...found, path: found.path.slice('document.'.length) };
  };
  const issue = findJsonIssue(value, findInexact);
  if (issue !== undefined)
    throw importLineError(line, `\`${joined('document', issue.path)}\` ${issue.message}`);
  const { _id, ...fields } = value;
  if (typeof _id !== 'string' || _id === '') throw importLineError(line, '`document._id` must be text');
  return { ...withLowerCaseIds(fields, idFields), _id: isId(_id) ? _id.toLowerCase() : _id };
}

export interface ImportSite {
  /** Each database folder has a namespace of its own. */
  readonly separateDatabases: boolean;
  /** Whether the server's own documents are taken too: from a backup. */
  readonly withServerData?: boolean;
  readonly idFields: IdFields;
}

/** Parses `line`. Throws DOCUMENT_INVALID for one that is not valid for a site of this kind. */
export function parseImportEntry(line: InputLine, site: ImportSite): ImportEntry {
  const { separateDatabases, withServerData = false, idFields } = site;
  const { number } = line;
  const { value, text: sent } = parseLine(line);
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.includes(name))) {
    throw importLineError(number, SHAPE);
  }
  const ns = readSpace(value['database'], value['collection']);
  if (ns === undefined || !isJsonObject(value['document'])) throw importLineError(number, SHAPE);
  const isServerData = withServerData && isServerNamespace(ns);
  const issue = isServerData ? undefined : findNamespaceIssue(ns, separateDatabases);
  if (issue !== undefined) throw importLineError(number, issue);
  const document = readDocument(value['document'], sent, { line: number, idFields: idFields(ns) });
  const text = JSON.stringify(document);
  const problem = sizeIssue(document, text);
  if (problem !== undefined) throw importLineError(number, `the document ${problem}`);
  return { line: number, ns, document, text };
}
