// Estimates whether a body fits into the heap of the module that reads it. A few megabytes of `[],[],…` become hundreds: without
// this check, any caller of a module could crash its host until the module is suspended.

import { type JsonShape, scanJsonYielding } from './json-scan.ts';

/**
 * Approximate bytes of heap for each character of JSON that starts or separates values; strings cost their own bytes. A colon may
 * stand for a name that no other object has, which also costs time that no engine limit bounds.
 */
const COSTS = { commas: 16, colons: 64, lists: 48, objects: 64 };
const MAX_BYTES_PER_CHARACTER = 66;
/** A text passes through the heap of the host process, which has 64 MB, whatever that of the isolate has. */
const MAX_TEXT_BYTES = 33_554_432;
/** A form is parsed by the host, some microseconds a pair. The same limits are in `sandbox/form-text.js` and `sandbox/guest/request.js`. */
const MAX_FORM_PAIRS = 10_000;
const MAX_FORM_CHARACTERS = 1_048_576;
/** Members that are new to the parser: so many take 70 ms, five times as many a second, and no limit of the engine ends that. */
const MAX_NEW_MEMBERS = 50_000;
const MB = 1_048_576;

interface JsonHeap {
  readonly heapMb: number;
  readonly shape: JsonShape;
}

/** The bytes that a body may take: half of the heap. */
const maxBodyBytes = (heapMb: number) => (heapMb * MB) / 2;

/** Approximate bytes of heap for the values of JSON of this shape, without their strings. */
export function estimateJsonHeapBytes({ commas, colons, lists, objects }: JsonShape): number {
  return commas * COSTS.commas + colons * COSTS.colons + lists * COSTS.lists + objects * COSTS.objects;
}

/** Bytes of heap for a text with this many bytes in UTF-8: one character beyond Latin-1 doubles the width of all. */
function textHeapBytes(text: string, bytes: number): number {
  return text.length === bytes ? bytes : 2 * text.length;
}

/** False if a text would take more than half of the heap, or of that of the host process. */
export function textFitsHeap(text: string, bytes: number, heapMb: number): boolean {
  return textHeapBytes(text, bytes) <= Math.min(maxBodyBytes(heapMb), MAX_TEXT_BYTES);
}

/** False if JSON of this shape would take more than half of the heap, values and text together, or too long to be parsed. */
export function jsonFitsHeap(text: string, bytes: number, { heapMb, shape }: JsonHeap): boolean {
  if (shape.newMembers > MAX_NEW_MEMBERS) return false;
  return textHeapBytes(text, bytes) + estimateJsonHeapBytes(shape) <= maxBodyBytes(heapMb);
}

/** True for so few characters that JSON of any shape takes at most half of the heap. */
export function anyJsonFitsHeap(characters: number, heapMb: number): boolean {
  return characters * MAX_BYTES_PER_CHARACTER <= maxBodyBytes(heapMb);
}

/** `jsonFitsHeap` for JSON whose shape is unknown yet. */
export async function unscannedJsonFitsHeap(text: string, heapMb: number): Promise<boolean> {
  if (anyJsonFitsHeap(text.length, heapMb)) return true;
  const json = Buffer.from(text);
  return (
    textFitsHeap(text, json.length, heapMb) &&
    jsonFitsHeap(text, json.length, { heapMb, shape: await scanJsonYielding(json) })
  );
}

/** False if a form is too long, or has too many pairs, to be parsed in a short while. */
export function isShortForm(text: string): boolean {
  if (text.length > MAX_FORM_CHARACTERS) return false;
  let pairs = 1;
  for (let at = text.indexOf('&'); at >= 0 && pairs <= MAX_FORM_PAIRS; at = text.indexOf('&', at + 1))
    pairs += 1;
  return pairs <= MAX_FORM_PAIRS;
}
