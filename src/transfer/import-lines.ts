// Lines of an imported file: splits a stream into lines and parses each, a document and its namespace.

import { isUtf8 } from 'node:buffer';
import { findInexactInteger } from '../lib/json/inexact-integers.ts';
import { isJsonObject, type Json, MAX_JSON_DEPTH } from '../lib/json/json.ts';
import { scanJson } from '../lib/json/json-scan.ts';
import { describeSyntaxError, parseJsonText } from '../lib/json/json-syntax.ts';
import type { Namespace } from '../stores/ports.ts';
import { createImportEntry, type ImportEntry, type ImportSite, importError } from './import-entry.ts';

interface InputLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line feed. */
  readonly bytes: Uint8Array;
  /** False for the bytes after the last line feed. */
  readonly ended: boolean;
}

const LINE_FEED = 0x0a;

const placeOf = (line: number) => `line ${line}`;

/** The error for a line of the file. */
const lineError = (line: number, message: string) => importError(placeOf(line), message);

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
    if (length > maxBytes) throw lineError(number, `is longer than ${maxBytes} bytes`);
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

const SHAPE = 'must be {"database": null or text, "collection": text, "document": {…}}';
const MEMBERS = ['database', 'collection', 'document'];
/** The line is an object around the document. */
const LINE_DEPTH = MAX_JSON_DEPTH + 1;

/** The value of a line, and its text. */
function parseLine({ number, bytes, ended }: InputLine): { readonly value: unknown; readonly text: string } {
  if (scanJson(bytes).depth > LINE_DEPTH) {
    throw lineError(number, `is nested deeper than ${LINE_DEPTH} levels`);
  }
  const incomplete = () => lineError(number, 'is not complete: the file ends within it');
  if (!isUtf8(bytes)) throw ended ? lineError(number, 'is not valid UTF-8') : incomplete();
  const text = new TextDecoder().decode(bytes);
  const parsed = parseJsonText(text);
  if ('value' in parsed) return { value: parsed.value, text };
  throw ended ? lineError(number, describeSyntaxError(parsed.error, false)) : incomplete();
}

function readSpace(database: Json | undefined, collection: Json | undefined): Namespace | undefined {
  if (database !== null && typeof database !== 'string') return undefined;
  return typeof collection === 'string' ? { database, collection } : undefined;
}

/** Parses `line`. Throws DOCUMENT_INVALID for one that is not valid for a site of this kind. */
export function parseImportEntry(line: InputLine, site: ImportSite): ImportEntry {
  const { number } = line;
  const { value, text } = parseLine(line);
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.includes(name))) {
    throw lineError(number, SHAPE);
  }
  const ns = readSpace(value['database'], value['collection']);
  const { document } = value;
  if (ns === undefined || !isJsonObject(document)) throw lineError(number, SHAPE);
  const findInexact = () => {
    const found = findInexactInteger(text);
    // The other members of a line are no numbers.
    return found && { ...found, path: found.path.slice('document.'.length) };
  };
  return createImportEntry({ place: placeOf(number), ns, document, findInexact }, site);
}

const BLANK = /^\s*$/;
const isBlank = (bytes: Uint8Array) => bytes.length < 8 && BLANK.test(Buffer.from(bytes).toString('latin1'));
/** The largest document has 16 MiB as BSON, and up to six times as much where its text is escaped as JSON. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** Yields the documents of the lines of `source`. Throws as `parseImportEntry` does. */
export async function* readImportLines(
  source: AsyncIterable<Uint8Array>,
  site: ImportSite,
): AsyncGenerator<ImportEntry> {
  for await (const line of splitLines(source, MAX_LINE_BYTES)) {
    if (!isBlank(line.bytes)) yield parseImportEntry(line, site);
  }
}
