// Untrusted JSON: scanned before it is parsed, for its depth, its number of values, and where a list can be split; and parsed
// without blocking the event loop.

import { createSemaphore } from '../async/concurrency.ts';
import { createYielder, yieldToEventLoop } from '../async/maybe-promise.ts';
import { findEnvelopedIssue, type Json, type JsonIssue } from './json.ts';
import { createMemberCounter } from './json-members.ts';

/** Adjacent elements of the outermost list, as a range of bytes without the commas around them. */
export interface JsonChunk {
  readonly start: number;
  readonly end: number;
  /** Number of elements, if the text is JSON. */
  readonly elements: number;
}

export interface JsonList {
  /** How many elements the list has, if the text is JSON; an empty list counts as one. */
  readonly elements: number;
  readonly chunks: readonly JsonChunk[];
  /** The element with the most values. */
  readonly largest: { readonly index: number; readonly values: number };
}

/** Does not tell whether the text is JSON. Counts characters outside of strings. */
export interface JsonShape {
  /** Nesting of objects and lists, where the outermost one counts as 1. */
  readonly depth: number;
  readonly commas: number;
  readonly colons: number;
  /** Numbers of `[` and `{`. */
  readonly lists: number;
  readonly objects: number;
  /**
   * Commas, opening brackets and, twice, colons, and one more for each 32 bytes of a name: what the whole costs the server
   * grows with it, and names cost most.
   */
  readonly values: number;
  /**
   * Members that follow the same members in no object before: for each of them V8 makes a new description of objects, and parsing takes
   * time that nothing bounds. About that many, as equal hashes count once.
   */
  readonly newMembers: number;
  /** Set if the text begins with `[`; null if its brackets do not match. */
  readonly list: JsonList | null | undefined;
}

export interface JsonScan {
  /** Scans this many bytes, or to the end of the string in which they end. Undefined if there are more. */
  advance(bytes: number): JsonShape | undefined;
}

/** Limits of a chunk: parsing it takes a few milliseconds at most. */
const MAX_CHUNK = { values: 4000, bytes: 256 * 1024 };

/** Scanning this many bytes takes a millisecond or two. */
const SLICE_BYTES = 256 * 1024;

/** Bytes of a name that count as a value. */
const NAME_PART = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Starts a scan of JSON in UTF-8. */
export function createJsonScan(json: Uint8Array): JsonScan {
  let cutter: ReturnType<typeof createCutter> | undefined;
  let at = 0;
  let isText = false;
  let textStart = 0;
  let textLength = 0;
  let nameParts = 0;
  let hasBegun = false;
  let open = 0;
  let depth = 0;
  let commas = 0;
  let colons = 0;
  let lists = 0;
  let objects = 0;
  const members = createMemberCounter(json);
  const valuesSoFar = () => commas + 2 * colons + nameParts + lists + objects;

  /** A byte that no bracket is around. */
  const takeOutside = (byte: number | undefined) => {
    if (isSpace(byte)) return;
    if (hasBegun) cutter?.stray();
    else if (byte === OPEN_LIST) cutter = createCutter(at + 1);
    hasBegun = true;
  };
  const takeOpen = (byte: number) => {
    if (byte === OPEN_LIST) lists += 1;
    else objects += 1;
    open += 1;
    if (open > depth) depth = open;
    members.open(open);
  };
  const takeClose = (byte: number) => {
    open -= 1;
    if (open === 0) cutter?.close(at, valuesSoFar(), byte === CLOSE_LIST);
  };
  const takeColon = () => {
    colons += 1;
    nameParts += Math.floor(textLength / NAME_PART);
    members.name(open, textStart, textStart + textLength);
  };
  const takeComma = () => {
    if (open === 1) cutter?.comma(at, valuesSoFar());
    commas += 1;
  };

  return {
    advance(bytes) {
      const end = Math.min(json.length, at + bytes);
      for (; at < end; at += 1) {
        const byte = json[at];
        if (isText) {
          if (byte === BACKSLASH) at += 1;
          else if (byte === QUOTE) {
            isText = false;
            textLength = at - textStart;
          }
          continue;
        }
        if (open === 0) takeOutside(byte);
        if (byte === QUOTE) {
          isText = true;
          textStart = at + 1;
        } else if (byte === COMMA) takeComma();
        else if (byte === COLON) takeColon();
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) takeOpen(byte);
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) takeClose(byte);
      }
      if (at < json.length) return undefined;
      const list = cutter === undefined ? undefined : cutter.list(open);
      const values = valuesSoFar();
      return { depth, commas, colons, lists, objects, values, newMembers: members.count(), list };
    },
  };
}

/** Scans a text synchronously. */
export function scanJson(json: Uint8Array): JsonShape {
  const shape = createJsonScan(json).advance(json.length + 1);
  if (shape === undefined) throw new RangeError('a scan that does not end');
  return shape;
}

/** Scans a text of any length, yielding to the event loop. */
export async function scanJsonYielding(json: Uint8Array): Promise<JsonShape> {
  const scan = createJsonScan(json);
  const yieldIfDue = createYielder();
  let shape = scan.advance(SLICE_BYTES);
  while (shape === undefined) {
    await yieldIfDue();
    shape = scan.advance(SLICE_BYTES);
  }
  return shape;
}

/** Finds the chunks of the list whose elements begin at `start`. `values`: how many there were before the byte at `at`. */
function createCutter(start: number) {
  const chunks: JsonChunk[] = [];
  let largest = { index: 0, values: 0 };
  let elements = 0;
  /** Where the run in hand begins, and what was counted before it; the bracket itself is a value. */
  let run = { start, elements: 0, values: 1 };
  let valuesBefore = 1;
  let isClosed = false;
  let isOne = true;

  const endElement = (values: number) => {
    if (values - valuesBefore > largest.values) largest = { index: elements, values: values - valuesBefore };
    elements += 1;
    valuesBefore = values + 1;
  };
  const endRun = (at: number, values: number) => {
    chunks.push({ start: run.start, end: at, elements: elements - run.elements });
    run = { start: at + 1, elements, values };
  };
  return {
    comma(at: number, values: number) {
      endElement(values);
      if (values - run.values >= MAX_CHUNK.values || at - run.start >= MAX_CHUNK.bytes) endRun(at, values);
    },
    close(at: number, values: number, isList: boolean) {
      if (!isList) isOne = false;
      isClosed = true;
      endElement(values);
      endRun(at, values);
    },
    /** Something stands behind the list. */
    stray() {
      isOne = false;
    },
    /** The list, at the end of a text of which so many brackets are open still. */
    list: (open: number): JsonList | null =>
      isClosed && isOne && open === 0 ? { elements, chunks, largest } : null,
  };
}

/** The value and its first issue; without a value the text is not JSON. */
interface UntrustedJson {
  readonly value?: Json;
  readonly issue?: JsonIssue | undefined;
}

/**
 * `assertShape` throws for a text that must not be parsed. `envelope`: levels around what clients and posted code nest, which do
 * not count as depth; 0 if absent.
 */
export type ParseUntrustedJson = (
  text: string,
  assertShape: (shape: JsonShape) => void,
  envelope?: number,
) => Promise<UntrustedJson>;

/** Up to this length a text is parsed at once. */
const MAX_SHORT_LENGTH = 16 * 1024;

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function finish(value: Json | undefined, envelope: number): UntrustedJson {
  return value === undefined ? {} : { value, issue: findEnvelopedIssue(value, envelope) };
}

/** Creates a parser. It parses one long text at a time, as several could end up in one turn of the event loop. */
export function createUntrustedJsonParser(): ParseUntrustedJson {
  const exclusive = createSemaphore(1);
  const readLong: ParseUntrustedJson = async (text, assertShape, envelope = 0) => {
    assertShape(await scanJsonYielding(Buffer.from(text)));
    await yieldToEventLoop();
    const value = parse(text);
    await yieldToEventLoop();
    const read = finish(value, envelope);
    await yieldToEventLoop();
    return read;
  };
  return async (text, assertShape, envelope = 0) => {
    if (text.length > MAX_SHORT_LENGTH) return exclusive(() => readLong(text, assertShape, envelope));
    assertShape(scanJson(Buffer.from(text)));
    return finish(parse(text), envelope);
  };
}
