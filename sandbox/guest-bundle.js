// The texts that are compiled in an isolate: the parts in guest/, byte for byte as they lie there, and the author's module.
import { readFileSync } from 'node:fs';

/** @import { LoadOptions } from './protocol.ts' */

/** In no particular order: main.js puts them together. */
const PARTS = [
  ...['main', 'primordials', 'cut', 'objects', 'describe-error', 'request', 'log', 'bytes'],
  ...[
    'headers',
    'answer-text',
    'response',
    'body',
    'timers',
    'random',
    'symbols',
    'clock',
    'text',
    'url',
    'url-search-params',
    'clone',
  ],
  ...[
    'crypto',
    'model',
    'fetch',
    'bcrypt',
    'require',
    'program',
    'describe',
    'inspect',
    'hidden-prototypes',
    'harden',
  ],
];

/** What an author's module may name beside the globals, in the order in which program.js passes it. */
const NAMES = [
  ...['console', 'Model', 'fetch', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  ...['setImmediate', 'clearImmediate', 'queueMicrotask', 'crypto', 'Math'],
];

/** @param {string} name */
function partText(name) {
  const text = readFileSync(new URL(`guest/${name}.js`, import.meta.url), 'utf8');
  return `parts[${JSON.stringify(name)}] =\n${text}`;
}

/** One script. Its value is the function that installs everything in a context. */
export const BUNDLE = `(function () {
'use strict';
const parts = { __proto__: null };
${PARTS.map(partText).join('')}
return parts.main(parts);
})();`;

/**
 * Older modules may begin with `#!`, which is only allowed where a file begins.
 * @param {string} source
 */
const withoutHashbang = (source) => (source.startsWith('#!') ? `//${source.slice(2)}` : source);

/**
 * To be compiled as the body of a function: shows whether the author's text is one by itself, so that a closing brace in it
 * cannot end the function that is put around it below. Nothing of it runs, as it returns first. Compile with `lineOffset` -1.
 * @param {string} source
 */
export const aloneText = (source) => `return;\n${withoutHashbang(source)}`;

/**
 * A script whose value is a function that makes the author's module anew: a function within a function, the outer one with
 * the names above, so that the author may declare them again (`const { Model } = require('@dadi/api')`), the inner one as
 * CommonJS has it. Sloppy, as CommonJS is. Compile with `lineOffset` -1: the author's text begins on the second line.
 * @param {string} source
 */
export const moduleText = (source) =>
  `((${NAMES.join(', ')}) => function (module, exports, require) {\n${withoutHashbang(source)}\n})`;

/**
 * Which of the things that are made for each request the text can name at all: those whose name it holds, or all where it
 * holds an escape, with which any name can be written.
 * @param {string} source
 */
export function usesOf(source) {
  const escaped = source.includes('\\u');
  const has = (/** @type {string[]} */ ...words) => escaped || words.some((word) => source.includes(word));
  return {
    console: has('console'),
    model: has('Model', 'require'),
    fetch: has('fetch'),
    timers: has('Timeout', 'Interval', 'Immediate'),
    queueMicrotask: has('queueMicrotask'),
    crypto: has('crypto'),
    math: has('Math'),
    require: has('require'),
    /** `util` and `events` make promises. */
    promises: has('Promise', 'async', 'Async', 'await', 'import', 'require'),
  };
}

/**
 * Whether a request of this module is over when its handler has returned: it can neither make guest calls nor have promises,
 * so that nothing of it runs later.
 * @param {Pick<LoadOptions, 'isolation' | 'model' | 'fetch'> & { source: string }} options
 */
export function isSynchronous({ isolation, model, fetch, source }) {
  const uses = usesOf(source);
  const calls = (uses.model && model) || (uses.fetch && fetch) || uses.timers || uses.queueMicrotask;
  return isolation === 'realm' && !calls && !uses.promises && !uses.crypto;
}
