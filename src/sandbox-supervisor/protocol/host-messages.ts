// Parses the headers of frames from a host, which are hostile. What is not exactly a message of the protocol (sandbox/protocol.ts) is
// rejected.

import type { FromHost, GuestEventKind, Inspection, SliceError } from '../../../sandbox/protocol.ts';
import { HTTP_METHODS, isHttpMethod } from '../../lib/http/methods.ts';
import { MAX_JSON_DEPTH } from '../../lib/json/json.ts';
import { scanJson } from '../../lib/json/json-scan.ts';
import { isEventSize } from './guest-events.ts';

export type ReadyMessage = Extract<FromHost, { readonly t: 'ready' }>;
export type InspectedMessage = Extract<FromHost, { readonly t: 'inspected' }>;
export type ResultMessage = Extract<FromHost, { readonly t: 'results' }>;

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
const MAX_TEXT_CHARACTERS = 1000;
const MAX_WARNINGS = 50;
/** Of an inspection without its description. */
const MAX_INSPECTION_CHARACTERS = 65_536;
const MAX_OPENAPI_CHARACTERS = 65_536;
/** Longer than any time slice. JSON can express `1e999`, which is infinite and would spoil the running mean. */
const MAX_SLICE_MS = 3_600_000;

/** Headers up to this length are parsed unchecked. */
const MAX_UNSCANNED_CHARACTERS = 1024;
/** Values of a header: those of 16 invocations with all the log lines and guest calls that they may have. */
const MAX_VALUES = 60_000;

/**
 * The error with which an isolate was lost, of a result that says that it was disposed of. Undefined: several requests used the heap,
 * and the host cannot tell which of them was one too many.
 */
export function lossOf({
  errors,
}: Pick<ResultMessage, 'errors'>): ResultMessage['errors'][number] | undefined {
  const last = errors.at(-1);
  // Code that does not load has begun nothing in the isolate.
  return last?.[1] === 'load' ? undefined : last;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_CHARACTERS;
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isDescription = (value: unknown) =>
  value === null || (typeof value === 'string' && value.length <= MAX_OPENAPI_CHARACTERS);
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

const isSliceTime = (ms: unknown) => typeof ms === 'number' && ms >= 0 && ms <= MAX_SLICE_MS;

const RESULT_MEMBERS: readonly string[] = [
  ...[
    't',
    'moduleNumber',
    'events',
    'errors',
    'returned',
    'idle',
    'sliceMs',
    'cpuMs',
    'heapBytes',
    'disposed',
  ],
];

function isResults(fields: Fields, rawBytes: number): boolean {
  const { moduleNumber, events, errors, returned, idle, sliceMs, cpuMs, heapBytes, disposed } = fields;
  if (!hasOnly(fields, RESULT_MEMBERS)) return false;
  if (!isCount(moduleNumber) || typeof idle !== 'boolean' || typeof disposed !== 'boolean') return false;
  if (!isSliceTime(sliceMs) || !isSliceTime(cpuMs) || !isCount(heapBytes)) return false;
  if (!Array.isArray(events) || !Array.isArray(errors) || !Array.isArray(returned)) return false;
  if (!events.every(isEvent) || !errors.every(isSliceError) || !returned.every(isCount)) return false;
  let bytes = 0;
  for (const event of events as ResultMessage['events']) bytes += event[2] + event[3];
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
  const { methods, settings, route, openapi, warnings, isolation } = inspection;
  return (
    hasOnly(inspection, ['ok', 'methods', 'settings', 'route', 'openapi', 'warnings', 'isolation']) &&
    Array.isArray(methods) &&
    methods.length <= HTTP_METHODS.length &&
    methods.every(isHttpMethod) &&
    isFields(settings) &&
    isTextOrNull(route) &&
    isDescription(openapi) &&
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

/** JSON text has at most twice as many characters where it is a text in JSON. */
const descriptionCharacters = (inspection: Inspection) =>
  inspection.ok && inspection.openapi !== null ? 2 * inspection.openapi.length : 0;

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
        headerLength <= MAX_INSPECTION_CHARACTERS + descriptionCharacters(fields['inspection'])
      );
    case 'lost':
      return hasOnly(fields, ['t', 'number']) && isCountOrNull(fields['number']);
    default:
      return false;
  }
}

function isParsable(header: string): boolean {
  if (header.length <= MAX_UNSCANNED_CHARACTERS) return true;
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
