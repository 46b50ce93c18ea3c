// Evaluates a module once, when its code is posted, and tells what the server must know of it. Read once, as JSON text:
// what a getter would answer the second time does not matter.
(function inspections(kit, program) {
  'use strict';
  const { JSONStringify, TypeError } = kit.p;
  const { Request, fail, finish, current } = kit.requests;
  const MAX_SETTINGS_CHARACTERS = 60_000;
  const NOTHING = '{"methods":[],"route":null,"openapi":null,"warnings":[]}';
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

  /** JSON text of an object, `{}` for anything else. */
  function settingsOf(exports) {
    const model = exports.model;
    const settings = model === undefined || model === null ? undefined : model.settings;
    if (typeof settings !== 'object' || settings === null) return '{}';
    const text = JSONStringify(settings);
    if (typeof text !== 'string' || text[0] !== '{') return '{}';
    if (text.length > MAX_SETTINGS_CHARACTERS)
      throw new TypeError('module.exports.model.settings is too large');
    return text;
  }

  /** JSON text of a text, or `null`. */
  function patternOf(exports) {
    const { config } = exports;
    if (typeof config !== 'function') return 'null';
    const answer = config();
    const route = answer === undefined || answer === null ? undefined : answer.route;
    if (route === undefined || route === null) return 'null';
    if (typeof route !== 'string' || route.length > 1_000) {
      throw new TypeError('config().route must be a text of at most 1,000 characters');
    }
    return JSONStringify(route);
  }

  function endpointFacts(exports) {
    let methods = '';
    for (let index = 0; index < METHODS.length; index += 1) {
      if (program.handlerOf(exports, METHODS[index]) === undefined) continue;
      methods += `${methods === '' ? '' : ','}"${METHODS[index]}"`;
    }
    if (methods === '') {
      throw new TypeError(
        'The module has no handler: set module.exports.get (or post, put, patch, delete, head, options) to a function',
      );
    }
    const route = patternOf(exports);
    const { text, problem } = kit.describe(exports);
    const openapi = text === undefined ? 'null' : JSONStringify(text);
    const warnings = problem === undefined ? '' : JSONStringify(problem);
    return `{"methods":[${methods}],"route":${route},"openapi":${openapi},"warnings":[${warnings}]}`;
  }

  return function inspect(number, seedA, seedB) {
    const request = new Request(number);
    current.request = request;
    try {
      const exports = program.evaluate(request, seedA, seedB);
      if (kit.options.kind === 'hook') {
        if (typeof exports !== 'function') {
          throw new TypeError('The module of a hook must set module.exports to a function');
        }
        finish(request, 'result', NOTHING, '{}');
        return;
      }
      const facts = endpointFacts(exports);
      finish(request, 'result', facts, settingsOf(exports));
    } catch (thrown) {
      fail(request, thrown);
    }
  };
});
