// Reads JSON that a client sent without holding the event loop: counted before it is parsed, long lists parsed in slices.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.ts';
import type { Json } from '../lib/json.ts';
import { checkElement, checkJson, type JsonFault, MAX_JSON_DEPTH } from '../lib/json-check.ts';
import { type JsonList, type JsonRun, type JsonShape, scanInSlices, scanJson } from '../lib/json-scan.ts';
import { createPace, nextTurn } from '../lib/slices.ts';

export interface JsonBounds {
  /** `limits.jsonValues`: of the whole text, or of each element where it may be a list. */
  readonly values: number;
  /** There where a list is as welcome as what it lists. */
  readonly list?: {
    /** Elements that it may have. */
    readonly most: number;
    /** The error for one that has so many. */
    readonly refuse: (elements: number) => AppError;
  };
}

/** What becomes of JSON once its shape is known to be within the bounds. */
interface Reading {
  /** Throws for a shape that is refused. */
  readonly assertShape: (shape: JsonShape) => void;
  /** Finds what is wrong with a parsed value, or with the element of a list that has this position. */
  readonly faultOf: (value: Json, index?: number) => JsonFault | undefined;
}

/** Parsing and checking so many bytes takes a few milliseconds at worst. */
const SHORT_BYTES = 16 * 1024;
/** Parsing millions of levels takes seconds. Up to here it is cheap, and the error can tell where the culprit is. */
const ABSURD_DEPTH = 10 * MAX_JSON_DEPTH;

const refuse = (message: string, cause?: unknown) => new AppError('BAD_REQUEST', { message, cause });
const notJson = (cause?: unknown) => refuse('The body is not valid JSON', cause);
const tooDeep = () => refuse(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);

/** The bytes as text. Throws BAD_REQUEST. */
export function utf8(buffer: Buffer): string {
  if (!isUtf8(buffer)) throw refuse('The body is not valid UTF-8');
  return buffer.toString('utf8');
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw notJson(cause);
  }
}

function tooManyValues(values: number, index?: number): AppError {
  const what = index === undefined ? 'The body' : 'A document of the list';
  const message = `${what} has more than ${values} values, each member of an object counted as three`;
  return new AppError('PAYLOAD_TOO_LARGE', {
    items: [{ message, code: 'PAYLOAD_TOO_LARGE', ...(index !== undefined && { index }) }],
  });
}

/** Throws for JSON that has more of anything than it may have. */
function assertWithin({ list, values }: JsonShape, bounds: JsonBounds): void {
  if (list === null) throw notJson();
  if (list === undefined || bounds.list === undefined) {
    if (values > bounds.values) throw tooManyValues(bounds.values);
    return;
  }
  if (list.elements > bounds.list.most) throw bounds.list.refuse(list.elements);
  if (list.largest.values > bounds.values) throw tooManyValues(bounds.values, list.largest.index);
}

function parseRun(json: Buffer, { start, end, elements }: JsonRun, list: JsonList): readonly Json[] {
  const part = parse(`[${json.toString('utf8', start, end)}]`) as readonly Json[];
  const isEmptyList = part.length === 0 && list.elements === 1;
  // Nothing before a comma or behind one.
  if (part.length !== elements && !isEmptyList) throw notJson();
  return part;
}

function assertFit(fault: JsonFault | undefined): void {
  if (fault === undefined) return;
  throw new AppError('BAD_REQUEST', { field: fault.path, message: `\`${fault.path}\` ${fault.message}` });
}

/** Parses a list run by run; what is long of a single element, parsing and checking, has a turn of its own. */
async function parseList(json: Buffer, list: JsonList, { faultOf }: Reading): Promise<readonly Json[]> {
  const values: Json[] = [];
  const pace = createPace();
  for (const run of list.runs) {
    const part = parseRun(json, run, list);
    await pace();
    for (const value of part) assertFit(faultOf(value, values.push(value) - 1));
    await pace();
  }
  return values;
}

async function readLong(json: Buffer, bounds: JsonBounds, reading: Reading): Promise<Json> {
  const shape = await scanInSlices(json);
  reading.assertShape(shape);
  assertWithin(shape, bounds);
  if (bounds.list !== undefined && shape.list) {
    if (!isUtf8(json)) throw refuse('The body is not valid UTF-8');
    return parseList(json, shape.list, reading);
  }
  const text = utf8(json);
  await nextTurn();
  const value = parse(text);
  await nextTurn();
  assertFit(reading.faultOf(value));
  await nextTurn();
  return value;
}

function readShort(json: Buffer, bounds: JsonBounds, reading: Reading): Json {
  const shape = scanJson(json);
  reading.assertShape(shape);
  // Whether it is one list is for the parser to say.
  if (shape.list !== null) assertWithin(shape, bounds);
  const value = parse(utf8(json));
  assertFit(reading.faultOf(value));
  return value;
}

const read = (json: Buffer, bounds: JsonBounds, reading: Reading) =>
  json.length <= SHORT_BYTES ? readShort(json, bounds, reading) : readLong(json, bounds, reading);

const OWN: Reading = {
  assertShape({ depth }) {
    if (depth > ABSURD_DEPTH) throw tooDeep();
  },
  faultOf: (value, index) => (index === undefined ? checkJson(value) : checkElement(value, index)),
};

/**
 * JSON bytes as a checked value, at once where they are few; undefined for an empty body. Throws or rejects with
 * BAD_REQUEST, PAYLOAD_TOO_LARGE, or what `bounds` refuses a list with.
 */
export function readJson(json: Buffer, bounds: JsonBounds): Json | undefined | Promise<Json> {
  return json.length === 0 ? undefined : read(json, bounds, OWN);
}

/**
 * Looks whether bytes are JSON that others may parse. Rejects with BAD_REQUEST, PAYLOAD_TOO_LARGE, or what `assertShape`
 * throws.
 */
export async function assertJson(
  json: Buffer,
  { values, assertShape }: Pick<JsonBounds, 'values'> & Pick<Reading, 'assertShape'>,
): Promise<void> {
  const list = { most: Number.POSITIVE_INFINITY, refuse: () => tooManyValues(values) };
  const shapeOnly: Reading = {
    assertShape(shape) {
      if (shape.depth > MAX_JSON_DEPTH) throw tooDeep();
      assertShape(shape);
    },
    faultOf: () => undefined,
  };
  await read(json, { values, list }, shapeOnly);
}
