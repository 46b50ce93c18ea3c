// Whether a body fits into the heap of the code that is to read it. Some megabytes of `[],[],…` become hundreds: without this,
// whoever may call a module could end its processes until it is suspended.

import { type JsonShape, scanJson } from './json-scan.ts';

/**
 * Bytes of heap, about, behind each character of JSON that begins or parts values; text costs what it has. A colon may stand
 * for a name that no other object has: that costs time besides, which no limit of the engine ends.
 */
const COSTS = { commas: 16, colons: 64, lists: 48, objects: 64 };
const DEAREST = 64;
/** Bytes for each pair of a form, which is taken apart outside the isolate, where there is less room. */
const OF_FORM = 256;
const FORM_BYTES = 33_554_432;
const MB = 1_048_576;

/** What a body may become in a heap of so many MB: half of it. */
const roomIn = (heapMb: number) => (heapMb * MB) / 2;

/** False when what JSON of this shape stands for would take more than half of a heap of so many MB. Says nothing about its length. */
export function jsonFits({ commas, colons, lists, objects }: JsonShape, heapMb: number): boolean {
  const weight =
    commas * COSTS.commas + colons * COSTS.colons + lists * COSTS.lists + objects * COSTS.objects;
  return weight <= roomIn(heapMb);
}

/** The same for JSON that has not been looked over yet. */
export function jsonTextFits(text: string, heapMb: number): boolean {
  return text.length * DEAREST <= roomIn(heapMb) || jsonFits(scanJson(Buffer.from(text)), heapMb);
}

/** The same for a form. */
export function formFits(text: string, heapMb: number): boolean {
  let left = Math.floor(Math.min(roomIn(heapMb), FORM_BYTES) / OF_FORM);
  for (let at = text.indexOf('&'); at >= 0 && left >= 0; at = text.indexOf('&', at + 1)) left -= 1;
  return left >= 0;
}
