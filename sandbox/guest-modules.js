// The modules of Node that authors can require, as one script: pure JavaScript, compiled only where the author's text has `require`.
import { readFileSync } from 'node:fs';

/** Modules that authors can require. */
export const REQUIRABLE = [
  ...['assert', 'buffer', 'events', 'path', 'punycode', 'querystring', 'url'],
  ...['string_decoder', 'util'],
];
/** Files of another name. @type {ReadonlyMap<string, string>} */
const FILES = new Map([
  ['string_decoder', 'string-decoder'],
  ['util', 'utilities'],
]);

/** Parts of those above, which only these require. */
const INTERNAL = [
  ...[
    './absent',
    './buffer-methods',
    './buffer-numbers',
    './encodings',
    './equality',
    './errors',
    './inspect',
  ],
];

/** @param {string} name */
function factoryText(name) {
  const file = new URL(`guest/modules/${FILES.get(name) ?? name}.js`, import.meta.url);
  return `factories[${JSON.stringify(name)}] =\n${readFileSync(file, 'utf8')}`;
}

/**
 * One script. Its value holds functions that make each module anew: (module, exports, require). They close over nothing, and are
 * handed nothing that the author's own text is not handed.
 */
export const MODULES = `(function () {
'use strict';
const factories = { __proto__: null };
${[...REQUIRABLE, ...INTERNAL].map(factoryText).join('')}
return { __proto__: null, factories, requirable: ${JSON.stringify(REQUIRABLE)} };
})();`;
