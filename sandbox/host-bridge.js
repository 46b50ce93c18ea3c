// Functions that the guest asks of this process, because the guest's engine has none of its own or would be slow: two texts in, a text
// or a number out, no state, no way to a file, a network or another request.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readPairs, writePairs } from './form-text.js';

/** A URL longer than this is not parsed. */
const URL_CHARACTERS = 65_536;
const PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port'];
const SETTABLE = new Set(['href', ...PARTS.slice(2), 'pathname', 'search', 'hash']);
const DIGESTS = new Map([
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/** @param {URL} url */
function urlText(url) {
  const parts = [...PARTS, 'pathname', 'search', 'hash'].map((name) => [name, Reflect.get(url, name)]);
  return JSON.stringify(Object.fromEntries(parts));
}

/** @param {readonly (readonly [string, string])[]} pairs */
function formText(pairs) {
  /** @type {Map<string, string | string[]>} */
  const members = new Map();
  for (const [name, value] of pairs) {
    const before = members.get(name);
    if (before === undefined) members.set(name, value);
    else if (typeof before === 'string') members.set(name, [before, value]);
    else before.push(value);
  }
  // By hand, as a name may be `__proto__`.
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}

/** @type {Record<string, (head: string, body: string) => string | number>} */
const FUNCTIONS = {
  bytes: (_head, body) => Buffer.byteLength(body),
  encode: (_head, body) => Buffer.from(body).toString('base64'),
  /** Bytes to text; `head` is `fatal`, `bom`, both or neither. Empty for bytes that are not UTF-8, else `=` and the text. */
  decode(head, body) {
    const options = { fatal: head.includes('fatal'), ignoreBOM: head.includes('bom') };
    try {
      return `=${new TextDecoder('utf-8', options).decode(Buffer.from(body, 'base64'))}`;
    } catch {
      return '';
    }
  },
  /** Empty for a text that cannot be read, else `=` and the result. */
  atob: (_head, body) => `=${atob(body)}`,
  btoa: (_head, body) => `=${btoa(body)}`,
  /** Pairs of a query or form, as JSON. Empty where there are too many. */
  pairs(_head, body) {
    const pairs = readPairs(body);
    return pairs === undefined ? '' : JSON.stringify(pairs);
  },
  /** Members of a form, as JSON. Empty where there are too many pairs. */
  form(_head, body) {
    const pairs = readPairs(body);
    return pairs === undefined ? '' : formText(pairs);
  },
  /** The text of pairs, given as JSON. */
  query: (_head, body) => writePairs(JSON.parse(body)) ?? '',
  /** The parts of a URL as JSON, empty for one that does not parse. `head` is the base, after a `=`, if there is one. */
  url(head, body) {
    if (head.length + body.length > URL_CHARACTERS) return '';
    const url = URL.parse(body, head === '' ? undefined : head.slice(1));
    return url === null ? '' : urlText(url);
  },
  /** Sets one part of a URL. `head` is the name of the part, a space, the URL. */
  'set-url'(head, body) {
    const space = head.indexOf(' ');
    const name = head.slice(0, space);
    const url = URL.parse(head.slice(space + 1));
    if (url === null || !SETTABLE.has(name) || head.length + body.length > URL_CHARACTERS) return '';
    try {
      Reflect.set(url, name, body);
    } catch {
      return '';
    }
    return urlText(url);
  },
  uuid: () => randomUUID(),
  /** `head`: how many bytes, at most 65,536. */
  random: (head) => randomBytes(Math.min(65_536, Number(head) || 0)).toString('base64'),
  /** Empty for a digest that is not known. */
  digest(head, body) {
    const name = DIGESTS.get(head);
    return name === undefined ? '' : createHash(name).update(body, 'base64').digest('base64');
  },
};

/**
 * Answers a pure function by its name. Never throws: what is thrown here would show the guest paths of this machine.
 * @param {string} kind
 * @param {string} head
 * @param {string} body
 * @returns {string | number}
 */
export function answer(kind, head, body) {
  try {
    return Object.hasOwn(FUNCTIONS, kind) ? (FUNCTIONS[kind]?.(head, body) ?? '') : '';
  } catch {
    return '';
  }
}
