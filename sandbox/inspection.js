// What the evaluation of a posted module has shown, in the words of the protocol.

/** @import { Inspection } from './protocol.ts' */

const ES_MODULE = /import statement|'import\.meta'|token 'export'|top level bodies of modules|token 'import'/;
const POSITION = / \[[^[\]]*:(\d+):(\d+)\]$/;

/**
 * @param {'ENDPOINT_SYNTAX' | 'ENDPOINT_LOAD'} code
 * @param {string} message
 * @param {number | null} [line]
 * @param {number | null} [column]
 * @returns {Inspection}
 */
export function inspectionError(code, message, line = null, column = null) {
  return { ok: false, code, message: message.slice(0, 1_000), line, column };
}

/**
 * The refusal of code that does not compile. V8 puts the place at the end of the message: ` [module.js:3:7]`.
 * @param {unknown} error
 */
export function syntaxError(error) {
  const text = error instanceof Error ? error.message : '';
  const place = POSITION.exec(text);
  const message = place === null ? text : text.slice(0, place.index);
  const hint = ES_MODULE.test(message)
    ? ': modules are CommonJS here, with module.exports and require in place of import and export, and await in async functions only'
    : '';
  return inspectionError(
    'ENDPOINT_SYNTAX',
    `${message}${hint}`,
    place === null ? null : Math.max(1, Number(place[1])),
    place === null ? null : Number(place[2]),
  );
}

/**
 * The refusal of code that threw when it was evaluated. `head` is that of an `error` event.
 * @param {string} head
 */
export function loadError(head) {
  const { message, stack } = JSON.parse(head);
  const place = /:(\d+):(\d+)\)?$/m.exec(stack ?? '');
  return inspectionError(
    'ENDPOINT_LOAD',
    String(message),
    place === null ? null : Number(place[1]),
    place === null ? null : Number(place[2]),
  );
}

/**
 * The facts of a module that was evaluated. `head` and `body` are those of a `result` event of guest/inspect.js.
 * @param {string} head
 * @param {string} body
 * @returns {Inspection}
 */
export function facts(head, body) {
  const { methods, route, openapi, warnings } = JSON.parse(head);
  return { ok: true, methods, settings: JSON.parse(body), route, openapi, warnings, isolation: null };
}
