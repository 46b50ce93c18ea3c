// SVG: the attributes of the root element. Nothing else is read, and entities are never expanded.
import { type Dimensions, OutOfReachError } from './image-bytes.ts';

/** Pixels of a unit; relative units are those of a page without styles. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['px', 1],
  ['in', 96],
  ['cm', 96 / 2.54],
  ['mm', 96 / 25.4],
  ['q', 96 / 101.6],
  ['pt', 96 / 72],
  ['pc', 16],
  ['em', 16],
  ['rem', 16],
  ['ex', 8],
  ['ch', 8],
]);
/** UTF-16 units of the file that are looked at: the root element begins before that. */
const MAX_TEXT = 262_144;
const MAX_ATTRIBUTES = 256;
const ROOT = /<(?:svg:)?svg(?=[\s>/])/y;
const ATTRIBUTE = /\s+([^\s=>/"'<]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const LENGTH = /^\+?(\d{1,12}(?:\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,2})?([a-z]{0,3})$/i;
const NUMBER = /^\+?(?:\d{1,12}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,2})?$/i;
const SPACE = /\s*/y;

function decode(head: Uint8Array): string {
  const [first, second] = head;
  const bytes = head.subarray(0, MAX_TEXT * 2);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(head.subarray(0, MAX_TEXT));
}

/** Where the markup that begins at `start` ends. */
function endOf(text: string, end: string, start: number): number {
  const at = text.indexOf(end, start);
  if (at === -1) throw new OutOfReachError();
  return at + end.length;
}

/** The end of a document type, whose own part in brackets may hold any markup. */
function endOfDocumentType(text: string, start: number): number {
  const close = endOf(text, '>', start);
  const open = text.indexOf('[', start);
  if (open === -1 || close <= open) return close;
  const closing = /\]\s{0,100}>/g;
  closing.lastIndex = open;
  if (closing.exec(text) === null) throw new OutOfReachError();
  return closing.lastIndex;
}

/** The position behind the name of the root element; undefined when it is no SVG. */
function findRoot(text: string): number | undefined {
  let at = 0;
  while (at < text.length) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    at = SPACE.lastIndex;
    if (text.startsWith('<?', at)) at = endOf(text, '?>', at + 2);
    else if (text.startsWith('<!--', at)) at = endOf(text, '-->', at + 4);
    else if (text.startsWith('<!DOCTYPE', at)) at = endOfDocumentType(text, at);
    else {
      ROOT.lastIndex = at;
      return ROOT.exec(text) === null ? undefined : ROOT.lastIndex;
    }
  }
  throw new OutOfReachError();
}

function attributesAt(text: string, start: number): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = start;
  for (let count = 0; count < MAX_ATTRIBUTES; count += 1) {
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const [, name = '', double, single = ''] = match;
    if (!attributes.has(name)) attributes.set(name, double ?? single);
  }
  return attributes;
}

/** Pixels; undefined for what depends on the page, such as percentages, and for what is no length. */
function lengthOf(text: string | undefined): number | undefined {
  const [, number, exponent = '', unit = ''] = LENGTH.exec(text?.trim() ?? '') ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  if (number === undefined || factor === undefined) return undefined;
  return Number(number + exponent) * factor;
}

function viewBoxOf(text: string | undefined): Dimensions | undefined {
  const parts = text?.trim().split(/\s*,\s*|\s+/, 5) ?? [];
  const [, , width = '', height = ''] = parts;
  if (parts.length !== 4 || !NUMBER.test(width) || !NUMBER.test(height)) return undefined;
  if (Number(width) === 0 || Number(height) === 0) return undefined;
  return { width: Number(width), height: Number(height) };
}

/**
 * Dimensions of an SVG file, rounded to pixels: its width and height, else its view box. Throws OutOfReachError when the
 * text ends before its root element does.
 */
export function readSvg(head: Uint8Array): Dimensions | undefined {
  const text = decode(head);
  const root = findRoot(text);
  if (root === undefined) return undefined;
  // A root element that is cut off may say more.
  endOf(text, '>', root);
  const attributes = attributesAt(text, root);
  const box = viewBoxOf(attributes.get('viewBox'));
  const ratio = box === undefined ? undefined : box.width / box.height;
  const ownWidth = lengthOf(attributes.get('width'));
  const ownHeight = lengthOf(attributes.get('height'));
  const fromHeight = ownHeight === undefined || ratio === undefined ? undefined : ownHeight * ratio;
  const fromWidth = ownWidth === undefined || ratio === undefined ? undefined : ownWidth / ratio;
  const width = ownWidth ?? fromHeight ?? box?.width;
  const height = ownHeight ?? fromWidth ?? box?.height;
  if (width === undefined || height === undefined) return undefined;
  return { width: Math.round(width), height: Math.round(height) };
}
