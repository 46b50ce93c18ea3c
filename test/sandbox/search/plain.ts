// The well-behaved half of each module: a handler that finds out all that it can about its own situation and answers with it.
// What it finds is the same each time, unless code of another request has run in its place.
import type { ModuleKind } from '../../../sandbox/protocol.ts';
import type { Random } from './random.ts';

/** The file name of every module: stacks are read by it. */
export const MODULE_NAME = 'endpoint.search.js';

/** Reads what is around it; no promise is named, so that the module may share entries. */
const TOOLS = `const until = (make, max) => {
  let count = 0;
  try { for (; count < max; count += 1) make(count); } catch (error) { return count + ', then ' + error.name + ': ' + error.message; }
  return String(count);
};
const keysOf = (object) => Reflect.ownKeys(object).map(String).join();
const mine = (line) => line.includes('${MODULE_NAME}');
`;

const LOOKS: Readonly<Record<string, string>> = {
  names: `[globalThis, Object.prototype, Function.prototype, Array.prototype, Error, Error.prototype, Symbol, RegExp].map(keysOf).join(' ')`,
  stack: "new Error('plain').stack.split('\\n').filter(mine).join()",
  language:
    "JSON.stringify([[3, 1].sort(), { a: 1 }.then, 'a'.mark, new Error('own').message, [...'ab'], typeof globalThis.mark])",
  helpers: "until((n) => { if (btoa('a' + n) === '') throw new Error('empty'); }, 5)",
  address:
    "until((n) => { if (new URL('https://a.example/?' + n).search !== '?' + n) throw new Error('other'); }, 3)",
  copy: 'keysOf(structuredClone({ a: [1], b: new Map([[1, 2]]) }))',
};

const FEW_KEYS = "until((n) => Symbol.for('few ' + n), 30)";
const ALL_KEYS = "until((n) => Symbol.for('all ' + n), 1500)";

/** Members of the object with which it answers, one a line. */
const members = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([name, code]) => `    ${name}: ${code},\n`).join('');

/** What waits in the middle of an asynchronous one. */
const PAUSES = [
  '',
  'await undefined;',
  'await new Promise((resolve) => setTimeout(resolve, 1));',
  'await new Promise((resolve) => setTimeout(resolve, 1)); await new Promise((resolve) => setImmediate(resolve));',
  'await new Promise((resolve) => queueMicrotask(resolve));',
  "await Model('books').find({});",
  "await crypto.subtle.digest('SHA-256', new Uint8Array(8));",
];

const TIMERS =
  'until(() => { timers.push(setTimeout(() => {}, 3)); }, 20) + timers.map((timer) => clearTimeout(timer)).length';
const CALLS = "until(() => { Model('books').count({}).catch(() => {}); }, 20)";

function lookedAt(random: Random): [string, string][] {
  return Object.entries(LOOKS).filter(() => random.chance(0.6));
}

/** The text of a function `plain` of the same arguments as the handler. `isSynchronous`: no promise is named in it. */
export function plainText(random: Random, kind: ModuleKind, isSynchronous: boolean): string {
  const logs = random.chance(0.7) ? "  console.log('plain begins');\n" : '';
  const logsAfter = kind === 'endpoint' && random.chance(0.4) ? "  console.log('plain has answered');\n" : '';
  const before = lookedAt(random);
  // Counting all keys shows one that somebody else has taken. Where requests share an entry, each of them has to be short.
  if (random.chance(0.6)) before.push(['keys', random.chance(0.2) ? ALL_KEYS : FEW_KEYS]);
  let middle = '';
  const after: [string, string][] = [];
  if (!isSynchronous) {
    middle = `  ${random.pick(PAUSES)}\n  const timers = [];\n`;
    after.push(...lookedAt(random));
    if (random.chance(0.85)) after.push(['keys', ALL_KEYS]);
    if (random.chance(0.4)) after.push(['timers', TIMERS]);
    if (random.chance(0.3)) after.push(['calls', CALLS]);
  }
  const answer = kind === 'hook' ? '  return { before, after };\n' : '  res.json({ before, after });\n';
  return `${TOOLS}${isSynchronous ? '' : 'async '}function plain(req, res) {
${logs}  const before = {
${members(before)}  };
${middle}  const after = {
${members(after)}  };
${answer}${logsAfter}}
`;
}
