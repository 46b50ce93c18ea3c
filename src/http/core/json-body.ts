// Parses JSON bodies without blocking the event loop: counted before they are parsed, long lists parsed in slices.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../../errors/errors.ts';
import { createYielder, yieldToEventLoop } from '../../lib/async/maybe-promise.ts';
import { findInexactInteger } from '../../lib/json/inexact-integers.ts';
import {
  type FindInexactInteger,
  findElementIssue,
  findJsonIssue,
  type Json,
  type JsonIssue,
  MAX_JSON_DEPTH,
} from '../../lib/json/json.ts';
import {
  type JsonChunk,
  type JsonList,
  type JsonShape,
  scanJson,
  scanJsonYielding,
} from '../../lib/json/json-scan.ts';
import {
  describeSyntaxError,
  findSyntaxErrorYielding,
  type JsonSyntaxError,
  parseJsonText,
} from '../../lib/json/json-syntax.ts';

export interface JsonLimits {
  /** `limits.jsonValues`: of the whole text, or of each element where it may be a list. */
  readonly maxValues: number;
  /** Set where the body may be a list. */
  readonly list?: {
    /** Elements that it may have. */
    readonly maxElements: number;
    /** The error for one that has so many. */
    readonly createError: (elements: number) => AppError;
  };
}

/** Checks of a JSON body. */
interface JsonChecks {
  /** Throws for a shape that is not allowed. */
  readonly assertShape: (shape: JsonShape) => void;
  /** The issue of a value that was parsed from a text, or of the element of a list at this index. */
  readonly findIssue: (value: Json, findInexact: FindInexactInteger, index?: number) => JsonIssue | undefined;
}

/** Parsing and checking so many bytes takes a few milliseconds at most. */
const MAX_SYNC_BYTES = 16 * 1024;
/** Parsing millions of levels takes seconds. Up to this depth it is cheap, and the error can name the path. */
const MAX_PARSED_DEPTH = 10 * MAX_JSON_DEPTH;

const badRequest = (message: string) => new AppError('BAD_REQUEST', { message });
/** With the place, which the message names too. */
function invalidJson(error: JsonSyntaxError): AppError {
  const { line, column } = error;
  const message = `The body ${describeSyntaxError(error)}`;
  return new AppError('BAD_REQUEST', { message, items: [{ message, line, column, code: 'BAD_REQUEST' }] });
}
const tooDeep = () => badRequest(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);

/** The bytes as text. Throws BAD_REQUEST. */
export function decodeUtf8(buffer: Buffer): string {
  if (!isUtf8(buffer)) throw badRequest('The body is not valid UTF-8');
  return buffer.toString('utf8');
}

/** The value of a text that is so short that looking for an error in it takes no time. */
function parseShort(text: string): Json {
  const parsed = parseJsonText(text);
  if ('value' in parsed) return parsed.value;
  throw invalidJson(parsed.error);
}

/** The value of a longer text; undefined for one that is not JSON. */
function parseLong(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Rejects for a text that is not JSON, once the place is found. */
async function rejectInvalid(text: string): Promise<never> {
  const error = await findSyntaxErrorYielding(text);
  throw error === undefined ? badRequest('The body is not valid JSON') : invalidJson(error);
}

function tooManyValues(values: number, index?: number): AppError {
  const what = index === undefined ? 'The body' : 'A document of the list';
  const message = `${what} has more than ${values} values, each member of an object counted as three`;
  return new AppError('PAYLOAD_TOO_LARGE', {
    items: [{ message, code: 'PAYLOAD_TOO_LARGE', ...(index !== undefined && { index }) }],
  });
}

/** Throws for JSON over one of the limits. */
function assertWithinLimits({ list, values }: JsonShape, limits: JsonLimits): void {
  if (!list || limits.list === undefined) {
    if (values > limits.maxValues) throw tooManyValues(limits.maxValues);
    return;
  }
  if (list.elements > limits.list.maxElements) throw limits.list.createError(list.elements);
  if (list.largest.values > limits.maxValues) throw tooManyValues(limits.maxValues, list.largest.index);
}

/** The elements of a run; undefined for text that is not JSON. */
function parseRun(text: string, { elements }: JsonChunk, list: JsonList): readonly Json[] | undefined {
  const part = parseLong(text) as readonly Json[] | undefined;
  const isEmptyList = part?.length === 0 && list.elements === 1;
  // Nothing before a comma or behind one.
  return part?.length === elements || isEmptyList ? part : undefined;
}

function assertNoIssue(issue: JsonIssue | undefined): void {
  if (issue === undefined) return;
  throw new AppError('BAD_REQUEST', { field: issue.path, message: `\`${issue.path}\` ${issue.message}` });
}

/** Reads the text at most once, whoever asks. `firstIndex`: of its list in the whole. */
function createInexactFinder(text: string, firstIndex: number): FindInexactInteger {
  let found: { readonly issue: JsonIssue | undefined } | undefined;
  return () => {
    found ??= { issue: findInexactInteger(text, firstIndex) };
    return found.issue;
  };
}

/** Parses a list run by run, and yields to the event loop in between. */
async function parseList(json: Buffer, list: JsonList, { findIssue }: JsonChecks): Promise<readonly Json[]> {
  const values: Json[] = [];
  const pace = createYielder();
  for (const run of list.chunks) {
    const text = `[${json.toString('utf8', run.start, run.end)}]`;
    const part = parseRun(text, run, list) ?? (await rejectInvalid(json.toString()));
    await pace();
    const findInexact = createInexactFinder(text, values.length);
    for (const value of part) assertNoIssue(findIssue(value, findInexact, values.push(value) - 1));
    await pace();
  }
  return values;
}

async function parseInSlices(json: Buffer, limits: JsonLimits, checks: JsonChecks): Promise<Json> {
  const shape = await scanJsonYielding(json);
  checks.assertShape(shape);
  // Brackets that do not match.
  if (shape.list === null) return rejectInvalid(decodeUtf8(json));
  assertWithinLimits(shape, limits);
  if (limits.list !== undefined && shape.list) {
    if (!isUtf8(json)) throw badRequest('The body is not valid UTF-8');
    return parseList(json, shape.list, checks);
  }
  const text = decodeUtf8(json);
  await yieldToEventLoop();
  const value = parseLong(text);
  if (value === undefined) return rejectInvalid(text);
  await yieldToEventLoop();
  assertNoIssue(checks.findIssue(value, () => findInexactInteger(text)));
  await yieldToEventLoop();
  return value;
}

function parseAtOnce(json: Buffer, limits: JsonLimits, checks: JsonChecks): Json {
  const shape = scanJson(json);
  checks.assertShape(shape);
  // `null`: not one list; the parser reports what it is instead.
  if (shape.list !== null) assertWithinLimits(shape, limits);
  return parseUnscanned(json, checks);
}

function parseUnscanned(json: Buffer, { findIssue }: JsonChecks): Json {
  const text = decodeUtf8(json);
  const value = parseShort(text);
  assertNoIssue(findIssue(value, () => findInexactInteger(text)));
  return value;
}

/** True for a document so short that no shape of it is over a limit: a byte adds at most three values, and one level. */
function fitsInAnyShape({ length }: Buffer, { maxValues, list }: JsonLimits): boolean {
  return length <= MAX_PARSED_DEPTH && 3 * length <= maxValues && length <= (list?.maxElements ?? length);
}

const parseChecked = (json: Buffer, limits: JsonLimits, checks: JsonChecks) =>
  json.length <= MAX_SYNC_BYTES ? parseAtOnce(json, limits, checks) : parseInSlices(json, limits, checks);

const DOCUMENT_CHECKS: JsonChecks = {
  assertShape({ depth }) {
    if (depth > MAX_PARSED_DEPTH) throw tooDeep();
  },
  findIssue: (value, findInexact, index) =>
    index === undefined ? findJsonIssue(value, findInexact) : findElementIssue(value, index, findInexact),
};

/**
 * JSON bytes as a checked value, synchronously if they are few; undefined for an empty body. Throws or rejects with
 * BAD_REQUEST, PAYLOAD_TOO_LARGE, or the error that `limits` has for a list.
 */
export function parseJsonBody(json: Buffer, limits: JsonLimits): Json | undefined | Promise<Json> {
  if (json.length === 0) return undefined;
  if (fitsInAnyShape(json, limits)) return parseUnscanned(json, DOCUMENT_CHECKS);
  return parseChecked(json, limits, DOCUMENT_CHECKS);
}

/** True for a text with at most so many opening brackets, those in strings included: it nests no deeper. */
function hasFewBrackets(text: string, max: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > max) return false;
    }
  }
  return true;
}

/**
 * Checks a body that posted code will parse, if it is so short that it cannot be over a limit of its shape: then being JSON is
 * enough. `text`: what the bytes say. False for any other, which is not checked. Throws BAD_REQUEST.
 */
export function validateShortJson(text: string, json: Buffer, maxValues: number): boolean {
  if (!fitsInAnyShape(json, { maxValues }) || !hasFewBrackets(text, MAX_JSON_DEPTH)) return false;
  parseShort(text);
  return true;
}

/** Checks bytes that posted code will parse. Rejects with BAD_REQUEST, PAYLOAD_TOO_LARGE, or the error of `assertShape`. */
export async function validateJsonBody(
  json: Buffer,
  { maxValues, assertShape }: Pick<JsonLimits, 'maxValues'> & Pick<JsonChecks, 'assertShape'>,
): Promise<void> {
  const list = { maxElements: Number.POSITIVE_INFINITY, createError: () => tooManyValues(maxValues) };
  const shapeOnly: JsonChecks = {
    assertShape(shape) {
      if (shape.depth > MAX_JSON_DEPTH) throw tooDeep();
      assertShape(shape);
    },
    findIssue: () => undefined,
  };
  await parseChecked(json, { maxValues, list }, shapeOnly);
}
