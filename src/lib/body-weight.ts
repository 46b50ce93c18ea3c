// Whether a body fits into the heap of the code that is to read it. Some megabytes of `[],[],…` become hundreds: without this,
// whoever may call a module could end its processes until it is suspended.

/**
 * Bytes of heap, about, behind each character of JSON that begins or parts values; text costs what it has. A colon may stand
 * for a name that no other object has: that costs time besides, which no limit of the engine ends.
 */
const OF_JSON: ReadonlyMap<number, number> = new Map([
  [0x2c, 16],
  [0x3a, 64],
  [0x5b, 48],
  [0x7b, 64],
]);
/** Bytes for each pair of a form, which is taken apart outside the isolate, where there is less room. */
const OF_FORM = 256;
const FORM_BYTES = 33_554_432;
const DEAREST = 64;
const MB = 1_048_576;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;

function jsonFits(text: string, most: number): boolean {
  let weight = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isText = !isText;
    else if (isText) at += code === BACKSLASH ? 1 : 0;
    else weight += OF_JSON.get(code) ?? 0;
    if (weight > most) return false;
  }
  return true;
}

function formFits(text: string, most: number): boolean {
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) === AMPERSAND) weight += OF_FORM;
    if (weight > most) return false;
  }
  return true;
}

/** False when what `text` stands for would take more than half of a heap of so many MB. Says nothing about its length. */
export function fitsHeap(type: 'none' | 'json' | 'form' | 'text', text: string, heapMb: number): boolean {
  const most = (heapMb * MB) / 2;
  if (type === 'form') return formFits(text, Math.min(most, FORM_BYTES));
  return type !== 'json' || text.length * DEAREST <= most || jsonFits(text, most);
}
