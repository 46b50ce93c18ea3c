// Parses one line of an imported file: a document and its namespace.
import { sizeIssue } from '../collections/model/document-size.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import { findJsonIssue, MAX_JSON_DEPTH } from '../lib/json/json-check.ts';
import { scanJson } from '../lib/json/json-scan.ts';
import type { Namespace, StoredDocument } from '../stores/ports.ts';
import { findNamespaceIssue } from './namespaces.ts';
import { type InputLine, lineError } from './split-lines.ts';

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

function parseLine({ number, bytes, ended }: InputLine): unknown {
  if (scanJson(bytes).depth > LINE_DEPTH) {
    throw lineError(number, `is nested deeper than ${LINE_DEPTH} levels`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw lineError(number, ended ? 'is not JSON' : 'is not complete: the file ends within it', cause);
  }
}

function readSpace(database: Json | undefined, collection: Json | undefined): Namespace | undefined {
  if (database !== null && typeof database !== 'string') return undefined;
  return typeof collection === 'string' ? { database, collection } : undefined;
}

const joined = (name: string, path: string) => (path === '' ? name : `${name}.${path}`);

function readDocument(value: JsonObject, line: number): StoredDocument {
  const issue = findJsonIssue(value);
  if (issue !== undefined) throw lineError(line, `\`${joined('document', issue.path)}\` ${issue.message}`);
  const { _id, ...fields } = value;
  if (typeof _id !== 'string' || _id === '') throw lineError(line, '`document._id` must be text');
  return { ...fields, _id };
}

/** Parses `line`. Throws DOCUMENT_INVALID for one that is not valid for a site of this kind. */
export function parseImportEntry(line: InputLine, separateDatabases: boolean): ImportEntry {
  const { number } = line;
  const value = parseLine(line);
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.includes(name))) {
    throw lineError(number, SHAPE);
  }
  const ns = readSpace(value['database'], value['collection']);
  if (ns === undefined || !isJsonObject(value['document'])) throw lineError(number, SHAPE);
  const issue = findNamespaceIssue(ns, separateDatabases);
  if (issue !== undefined) throw lineError(number, issue);
  const document = readDocument(value['document'], number);
  const text = JSON.stringify(document);
  const problem = sizeIssue(document, text);
  if (problem !== undefined) throw lineError(number, `the document ${problem}`);
  return { line: number, ns, document, text };
}
