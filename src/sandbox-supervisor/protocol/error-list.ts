// Parses the list of errors that guest code threw or passed to `next`: hostile text, of which only plain items of an answer are left.

import type { ErrorItem } from '../../errors/errors.ts';
import { replaceUnprintable } from '../../lib/printable-text.ts';
import { MAX_EVENT_CHARACTERS, parseBounded } from './guest-events.ts';

/** Entries: those that an answer lists, and one that says how many there are besides. */
const MAX_ENTRIES = 101;
/** Members of an entry: brackets, commas and twice the colons of all of them. */
const BOUNDS = { depth: 2, values: 30 * MAX_ENTRIES };

/** Characters of each member. The guest side has the same limits. */
const MAX_CHARACTERS = { message: 1001, field: 1001, details: 1001, title: 100, hookName: 100 };
/** Codes of the server and of authors. */
const CODE = /^[A-Za-z0-9_.: -]{1,100}$/;
const MAX_INDEX = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

/** The item of an entry; undefined for one that the guest side does not write. */
function parseItem(entry: unknown): ErrorItem | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return undefined;
  const { code, index, ...texts } = entry as Fields;
  const printable: Record<string, string> = {};
  for (const [name, max] of Object.entries(MAX_CHARACTERS)) {
    const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
    if (text === undefined) continue;
    if (typeof text !== 'string' || text.length > max) return undefined;
    printable[name] = replaceUnprintable(text, max);
  }
  const { message, ...others } = printable;
  if (message === undefined) return undefined;
  const isIndex = Number.isInteger(index) && (index as number) >= 0 && (index as number) <= MAX_INDEX;
  return {
    ...others,
    message,
    ...(typeof code === 'string' && CODE.test(code) && { code }),
    ...(isIndex && { index: index as number }),
  };
}

/** Parses the body of a `next` or `error` event: undefined where it is empty, null where the guest side does not write such a text. */
export function parseErrorList(body: string): readonly ErrorItem[] | undefined | null {
  if (body === '') return undefined;
  if (body.length > MAX_EVENT_CHARACTERS.errorList) return null;
  const list = parseBounded(body, BOUNDS);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ENTRIES) return null;
  const items: ErrorItem[] = [];
  for (const entry of list as readonly unknown[]) {
    const item = parseItem(entry);
    if (item === undefined) return null;
    items.push(item);
  }
  return items;
}
