// Encodes frames for a host and reads those from it, which are hostile: both lengths are checked before anything is buffered, and the
// header before any raw byte. What is not exactly a message of the protocol is rejected. The form of a frame is in sandbox/protocol.ts.

import type { FromHost, GuestEventKind, Inspection, SliceError } from '../../../sandbox/protocol.ts';
import { MAX_JSON_DEPTH } from '../../lib/json/json.ts';
import { scanJson } from '../../lib/json/json-scan.ts';
import { isEventSize } from './guest-events.ts';

/** Most bytes of a header that a host may send: 16 requests with all the log lines and calls that they may have. */
const MAX_HEADER_BYTES = 524_288;
/** Most raw bytes of a frame from a host. */
const MAX_RAW_BYTES = 67_108_864;
const LENGTHS = 8;

/** Encodes lengths, header and texts. */
export function encodeFrame(header: string, texts: readonly string[], rawBytes: number): Buffer {
  const headerBytes = Buffer.byteLength(header);
  const frame = Buffer.allocUnsafe(LENGTHS + headerBytes + rawBytes);
  frame.writeUInt32BE(headerBytes, 0);
  frame.writeUInt32BE(rawBytes, 4);
  let at = LENGTHS + frame.write(header, LENGTHS);
  for (const text of texts) if (text !== '') at += frame.write(text, at);
  return frame;
}

export interface FrameReader {
  /** False when a frame is rejected: nothing after that can be trusted. */
  push(chunk: Buffer): boolean;
}

/** Handles frames; `M` is the type of parsed headers. */
interface FrameHandler<M> {
  /** Parses a header; null rejects the frame, before any of its raw bytes is buffered. */
  header(header: string, rawBytes: number): M | null;
  /** Handles a whole frame; false rejects it. `raw` may be part of the chunk that was pushed. */
  frame(message: M, raw: Buffer): boolean;
}

function isTooLarge(headerBytes: number, rawBytes: number): boolean {
  return headerBytes > MAX_HEADER_BYTES || rawBytes > MAX_RAW_BYTES;
}

/** Splits what a socket delivers into frames. It stops for good when one is rejected. */
export function createFrameReader<M>(handler: FrameHandler<M>): FrameReader {
  const lengths = Buffer.alloc(LENGTHS);
  let lengthsFilled = 0;
  /** The part of a frame that did not come in one piece: first its header, then its raw bytes. */
  let part: Buffer | undefined;
  let partFilled = 0;
  let message: M | undefined;

  const expect = (bytes: number) => {
    // Memory that is reserved and never filled costs nothing.
    part = Buffer.allocUnsafeSlow(bytes);
    partFilled = 0;
  };
  const reset = () => {
    part = undefined;
    message = undefined;
    lengthsFilled = 0;
  };

  /** Takes whole frames straight out of the chunk. Returns where it stopped, or -1. */
  const takeWhole = (chunk: Buffer, from: number): number => {
    let at = from;
    while (chunk.length - at >= LENGTHS) {
      const headerBytes = chunk.readUInt32BE(at);
      const rawBytes = chunk.readUInt32BE(at + 4);
      if (isTooLarge(headerBytes, rawBytes)) return -1;
      const rawStart = at + LENGTHS + headerBytes;
      const end = rawStart + rawBytes;
      if (end > chunk.length) return at;
      const whole = handler.header(chunk.toString('utf8', at + LENGTHS, rawStart), rawBytes);
      if (whole === null || !handler.frame(whole, chunk.subarray(rawStart, end))) return -1;
      at = end;
    }
    return at;
  };

  /** A part is there. False ends the reading. */
  const takeFilled = (filled: Buffer): boolean => {
    const rawBytes = lengths.readUInt32BE(4);
    const read = message ?? handler.header(filled.toString(), rawBytes);
    if (read === null) return false;
    const isHeader = message === undefined;
    if (isHeader && rawBytes > 0) {
      message = read;
      expect(rawBytes);
      return true;
    }
    reset();
    return handler.frame(read, isHeader ? filled.subarray(0, 0) : filled);
  };

  /** Goes on with a frame that is not complete. Returns where it stopped, or -1. */
  const takePart = (chunk: Buffer, from: number): number => {
    let at = from;
    if (part === undefined) {
      const copied = chunk.copy(lengths, lengthsFilled, at);
      lengthsFilled += copied;
      at += copied;
      if (lengthsFilled < LENGTHS) return at;
      const headerBytes = lengths.readUInt32BE(0);
      if (isTooLarge(headerBytes, lengths.readUInt32BE(4))) return -1;
      expect(headerBytes);
    }
    const present = part as Buffer;
    const copied = chunk.copy(present, partFilled, at);
    partFilled += copied;
    at += copied;
    if (partFilled < present.length) return at;
    return takeFilled(present) ? at : -1;
  };

  let isStopped = false;
  return {
    push(chunk) {
      let at = 0;
      while (!isStopped && at < chunk.length) {
        const isBetween = part === undefined && lengthsFilled === 0;
        const next = isBetween ? takeWhole(chunk, at) : at;
        at = next === -1 || next === chunk.length ? next : takePart(chunk, next);
        isStopped = at === -1;
      }
      return !isStopped;
    },
  };
}

type Results = Extract<FromHost, { readonly t: 'results' }>;

const EVENT_KINDS: ReadonlySet<unknown> = new Set<GuestEventKind>([
  'end',
  'result',
  'next',
  'error',
  'silent',
  'call',
  'log',
]);
const SLICE_ERRORS: ReadonlySet<unknown> = new Set<SliceError>(['timeout', 'memory', 'load']);
const ISOLATIONS: ReadonlySet<unknown> = new Set(['realm', 'context', 'isolate']);
const METHODS: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
const MAX_TEXT = 1000;
const MAX_WARNINGS = 50;
const MAX_SETTINGS = 65_536;
/** Longer than any time slice. JSON can express `1e999`, which is infinite and would spoil the running mean. */
const MAX_SLICE_MS = 3_600_000;

/** Headers up to this length are parsed unchecked. */
const SHORT = 1024;
/** Values of a header: those of 16 invocations with all the log lines and host calls that they may have. */
const MAX_VALUES = 60_000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isCountOrNull = (value: unknown) => value === null || isCount(value);

/** Whether there are exactly these members: one too many is a violation too. */
function hasOnly(fields: Fields, names: readonly string[]): boolean {
  return Object.keys(fields).length === names.length && names.every((name) => Object.hasOwn(fields, name));
}

const isEvent = (event: unknown) =>
  Array.isArray(event) &&
  event.length === 4 &&
  isCount(event[0]) &&
  EVENT_KINDS.has(event[1]) &&
  isCount(event[2]) &&
  isCount(event[3]) &&
  isEventSize(event[1] as GuestEventKind, event[2], event[3]);

const isSliceError = (error: unknown) =>
  Array.isArray(error) &&
  error.length === 3 &&
  isCount(error[0]) &&
  SLICE_ERRORS.has(error[1]) &&
  isText(error[2]);

function isResults(fields: Fields, rawBytes: number): boolean {
  const { moduleNumber, events, errors, returned, idle, sliceMs, disposed } = fields;
  if (!hasOnly(fields, ['t', 'moduleNumber', 'events', 'errors', 'returned', 'idle', 'sliceMs', 'disposed']))
    return false;
  if (!isCount(moduleNumber) || typeof idle !== 'boolean' || typeof disposed !== 'boolean') return false;
  if (typeof sliceMs !== 'number' || !(sliceMs >= 0 && sliceMs <= MAX_SLICE_MS)) return false;
  if (!Array.isArray(events) || !Array.isArray(errors) || !Array.isArray(returned)) return false;
  if (!events.every(isEvent) || !errors.every(isSliceError) || !returned.every(isCount)) return false;
  let bytes = 0;
  for (const event of events as Results['events']) bytes += event[2] + event[3];
  return bytes === rawBytes;
}

function isReady(fields: Fields): boolean {
  const { versions, layers } = fields;
  if (!hasOnly(fields, ['t', 'versions', 'layers']) || !isFields(versions) || !isFields(layers)) return false;
  if (!hasOnly(versions, ['node', 'v8', 'isolatedVm']) || !Object.values(versions).every(isText))
    return false;
  return (
    Object.keys(layers).every(isText) && Object.values(layers).every((held) => typeof held === 'boolean')
  );
}

function isSuccess(inspection: Fields): boolean {
  const { methods, settings, route, warnings, isolation } = inspection;
  return (
    hasOnly(inspection, ['ok', 'methods', 'settings', 'route', 'warnings', 'isolation']) &&
    Array.isArray(methods) &&
    methods.length <= METHODS.size &&
    methods.every((method) => METHODS.has(method)) &&
    isFields(settings) &&
    isTextOrNull(route) &&
    Array.isArray(warnings) &&
    warnings.length <= MAX_WARNINGS &&
    warnings.every(isText) &&
    (isolation === null || ISOLATIONS.has(isolation))
  );
}

function isFailure(inspection: Fields): boolean {
  const { code, message, line, column } = inspection;
  return (
    hasOnly(inspection, ['ok', 'code', 'message', 'line', 'column']) &&
    (code === 'ENDPOINT_SYNTAX' || code === 'ENDPOINT_LOAD') &&
    isText(message) &&
    isCountOrNull(line) &&
    isCountOrNull(column)
  );
}

function isInspection(value: unknown): value is Inspection {
  if (!isFields(value)) return false;
  return value['ok'] === true ? isSuccess(value) : value['ok'] === false && isFailure(value);
}

function isMessage(fields: Fields, headerLength: number, rawBytes: number): boolean {
  if (fields['t'] === 'results') return isResults(fields, rawBytes);
  if (rawBytes > 0) return false;
  switch (fields['t']) {
    case 'ready':
      return isReady(fields);
    case 'inspected':
      return (
        hasOnly(fields, ['t', 'id', 'inspection']) &&
        isCount(fields['id']) &&
        isInspection(fields['inspection']) &&
        headerLength <= MAX_SETTINGS
      );
    case 'lost':
      return hasOnly(fields, ['t', 'number']) && isCountOrNull(fields['number']);
    default:
      return false;
  }
}

function isParsable(header: string): boolean {
  if (header.length <= SHORT) return true;
  const { depth, values } = scanJson(Buffer.from(header));
  return depth <= MAX_JSON_DEPTH && values <= MAX_VALUES;
}

/** Parses the header of a frame with so many raw bytes; null when the protocol has no such message. */
export function parseHostMessage(header: string, rawBytes: number): FromHost | null {
  if (!isParsable(header)) return null;
  let value: unknown;
  try {
    value = JSON.parse(header);
  } catch {
    return null;
  }
  return isFields(value) && isMessage(value, header.length, rawBytes) ? (value as unknown as FromHost) : null;
}
