// Whether a body fits into the heap of the code that is to read it. Some megabytes of `[],[],…` become hundreds: without this,
// whoever may call a module could end its processes until it is suspended.

import { type JsonShape, scanJsonYielding } from './json-scan.ts';

/**
 * Bytes of heap, about, behind each character of JSON that begins or parts values; texts cost what they have. A colon may stand
 * for a name that no other object has: that costs time besides, which no limit of the engine ends.
 */
const COSTS = { commas: 16, colons: 64, lists: 48, objects: 64 };
const DEAREST = 66;
/** Bytes for each pair of a form, which is taken apart outside the isolate, where there is less room. */
const OF_FORM = 256;
const FORM_BYTES = 33_554_432;
const MB = 1_048_576;

interface JsonRoom {
  readonly heapMb: number;
  readonly shape: JsonShape;
}

/** What a body may become in a heap of so many MB: half of it. */
const roomIn = (heapMb: number) => (heapMb * MB) / 2;

/** Bytes of heap, about, that values of JSON of this shape take beside their texts. */
export function estimateJsonHeapBytes({ commas, colons, lists, objects }: JsonShape): number {
  return commas * COSTS.commas + colons * COSTS.colons + lists * COSTS.lists + objects * COSTS.objects;
}

/** Bytes of heap that a text of so many bytes in UTF-8 takes: one character beyond Latin 1 makes all of them twice as wide. */
function textWeight(text: string, bytes: number): number {
  return text.length === bytes ? bytes : 2 * text.length;
}

/** False when a text would take more than half of a heap of so many MB. */
export function textFitsHeap(text: string, bytes: number, heapMb: number): boolean {
  return textWeight(text, bytes) <= roomIn(heapMb);
}

/** The same for JSON of this shape, which takes what it stands for beside what its texts have. */
export function jsonFitsHeap(text: string, bytes: number, { heapMb, shape }: JsonRoom): boolean {
  return textWeight(text, bytes) + estimateJsonHeapBytes(shape) <= roomIn(heapMb);
}

/** The same for JSON that has not been looked over yet. */
export async function unscannedJsonFitsHeap(text: string, heapMb: number): Promise<boolean> {
  if (text.length * DEAREST <= roomIn(heapMb)) return true;
  const json = Buffer.from(text);
  return (
    textFitsHeap(text, json.length, heapMb) &&
    jsonFitsHeap(text, json.length, { heapMb, shape: await scanJsonYielding(json) })
  );
}

/** The same for a form. */
export function formFitsHeap(text: string, heapMb: number): boolean {
  let left = Math.floor(Math.min(roomIn(heapMb), FORM_BYTES) / OF_FORM);
  for (let at = text.indexOf('&'); at >= 0 && left >= 0; at = text.indexOf('&', at + 1)) left -= 1;
  return left >= 0;
}
