// The record of an uploaded file: fields of the form, and fields that only the server sets.

import { type Collection, type Field, INTERNAL_FIELDS } from '../collections/model/collection.ts';
import { WRONG_TYPE } from '../collections/model/fields/field-type.ts';
import { FIELD_TYPES } from '../collections/model/fields/field-types.ts';
import { recordFieldType } from '../collections/model/media-record-fields.ts';
import { typeIssue } from '../collections/validation/validate-document.ts';
import { AppError, type ErrorItem } from '../errors/errors.ts';
import { yieldToEventLoop } from '../lib/async/maybe-promise.ts';
import { findInexactInteger } from '../lib/json/inexact-integers.ts';
import { findJsonIssue, type Json, type JsonObject, MAX_JSON_DEPTH } from '../lib/json/json.ts';
import { scanJsonYielding } from '../lib/json/json-scan.ts';
import { describePlace, findSyntaxError } from '../lib/json/json-syntax.ts';
import type { MediaKey, MediaStore } from '../stores/media-store.ts';

export interface UploadedFile {
  readonly key: MediaKey;
  readonly originalFileName: string;
  readonly mimetype: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels; undefined for files that are not images. */
  readonly dimensions: { readonly width: number; readonly height: number } | undefined;
}

interface Options {
  readonly store: Pick<MediaStore, 'pathOf' | 'cloudUrlOf'>;
  readonly publicUrl: string | undefined;
}

/** The URL of the file, below `publicUrl` if that is set. */
function urlOf(key: MediaKey, publicUrl = ''): string {
  return [publicUrl.replace(/\/+$/, ''), ...key.split('/').map(encodeURIComponent)].join('/');
}

/** Creates these fields for a published file. */
export function createMediaRecord(file: UploadedFile, { store, publicUrl }: Options): JsonObject {
  const { key, originalFileName, mimetype, size, dimensions } = file;
  const cloudUrl = store.cloudUrlOf(key);
  return {
    fileName: key.slice(key.lastIndexOf('/') + 1),
    originalFileName,
    mimetype,
    ...(dimensions !== undefined && { width: dimensions.width, height: dimensions.height }),
    path: store.pathOf(key),
    contentLength: size,
    ...(cloudUrl !== undefined && { cloudUrl }),
    url: urlOf(key, publicUrl),
  };
}

export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The value of a JSON text of at most so many values; undefined when it is none that a document can hold. */
async function jsonOf(text: string, values: number): Promise<Json | undefined> {
  const shape = await scanJsonYielding(Buffer.from(text));
  if (shape.depth > MAX_JSON_DEPTH || shape.values > values) return undefined;
  await yieldToEventLoop();
  try {
    const value = JSON.parse(text) as Json;
    return findJsonIssue(value, () => findInexactInteger(text)) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the text is no value of the field's type. */
async function parseAs({ type }: Field, text: string, jsonValues: number): Promise<Json | undefined> {
  const { formText } = FIELD_TYPES[type];
  if (typeof formText === 'function') return formText(text);
  if (formText === 'json') return jsonOf(text, jsonValues);
  if (formText === 'json-list') return text.trimStart().startsWith('[') ? jsonOf(text, jsonValues) : text;
  return text.isWellFormed() ? text : undefined;
}

/** The item for text of a form that is no value of the field's type; where it had to be JSON, with the place where it is none. */
function formIssue(field: Field, text: string): ErrorItem {
  const issue = typeIssue(field, WRONG_TYPE);
  const { formText } = FIELD_TYPES[field.type];
  const isJson = formText === 'json' || (formText === 'json-list' && text.trimStart().startsWith('['));
  if (!isJson) return issue;
  const error = findSyntaxError(text);
  const place = error === undefined ? '' : `: ${describePlace(error)}`;
  return { ...issue, details: `${issue.details} as JSON${place}` };
}

const isOwn = (name: string) => recordFieldType(name) !== undefined || INTERNAL_FIELDS.includes(name);

/**
 * The fields of a form that the specification declares, each as a value of its type; names of the record's own fields and
 * undeclared ones are left out. `jsonValues`: `limits.jsonValues`. Rejects with DOCUMENT_INVALID, naming every field whose
 * text is no such value or that is sent twice.
 */
export async function parseFormFields(
  collection: Pick<Collection, 'fields'>,
  sent: readonly FormField[],
  jsonValues: number,
): Promise<JsonObject> {
  const values = new Map<string, Json>();
  const items: ErrorItem[] = [];
  for (const { name, value: text } of sent) {
    const field = isOwn(name) ? undefined : collection.fields.get(name);
    if (field === undefined) continue;
    const value = await parseAs(field, text, jsonValues);
    if (values.has(name))
      items.push({ field: name, message: 'is sent more than once', code: WRONG_TYPE.code });
    else if (value === undefined) items.push(formIssue(field, text));
    else values.set(name, value);
  }
  if (items.length > 0) throw new AppError('DOCUMENT_INVALID', { items });
  return Object.fromEntries(values);
}
