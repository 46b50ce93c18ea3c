// Runs the author's module: evaluated anew for each request, with everything that has authority made for that request.
(function programs(kit) {
  'use strict';
  const { JSONParse, JSONStringify, PromiseResolve, PromiseThen, ReflectApply, TypeError } = kit.p;
  const { StringSlice, RangeError } = kit.p;
  const { options } = kit;
  const { errorsOf, isObject, messageOf, statusOf } = kit.errors;
  const MAX_STATUS = 599;
  const { Request, bytesOf, fail, finish, finite, current } = kit.requests;
  /** Which names the author's text holds: what it cannot name is not made. */
  const { uses } = options;

  const HANDLERS = {
    __proto__: null,
    GET: 'get',
    HEAD: 'head',
    POST: 'post',
    PUT: 'put',
    PATCH: 'patch',
    DELETE: 'delete',
    OPTIONS: 'options',
  };

  /** Evaluates the author's text for one request; answers its `module.exports`. */
  function evaluate(request, seedA, seedB) {
    const timers = uses.timers ? kit.timers.createTimers(request) : undefined;
    const model = uses.model && options.model ? kit.createModel(request) : undefined;
    const body = kit.author(
      uses.console ? kit.log.createConsole(request) : undefined,
      model,
      uses.fetch && options.fetch ? kit.createFetch(request) : undefined,
      timers?.setTimeout,
      timers?.clear,
      timers?.setInterval,
      timers?.clear,
      timers?.setImmediate,
      timers?.clear,
      uses.queueMicrotask ? kit.timers.createQueueMicrotask(request) : undefined,
      uses.crypto ? kit.createCrypto() : undefined,
      uses.math ? kit.createMath(seedA, seedB) : undefined,
    );
    const exports = {};
    const module = { exports };
    const bcrypt = uses.require && options.bcrypt ? kit.createBcrypt(request) : undefined;
    const require = uses.require ? kit.createRequire(model, bcrypt) : undefined;
    ReflectApply(body, exports, [module, exports, require]);
    return module.exports;
  }

  /** The handler that the module has for exactly this method. */
  function handlerOf(exports, method) {
    if (exports === undefined || exports === null || HANDLERS[method] === undefined) return undefined;
    const handler = exports[HANDLERS[method]];
    return typeof handler === 'function' ? handler : undefined;
  }

  /** `next()` passes; `next(error)` ends with its status, where that is a whole number of 400 to 599, and with its `errors`. */
  function createNext(request) {
    return function next(error) {
      if (error === undefined || error === null) {
        finish(request, 'next', '{}', '');
        return;
      }
      const status = statusOf(error, MAX_STATUS);
      const head = `{"message":${JSONStringify(messageOf(error))}${status}}`;
      finish(request, 'next', head, status === '' ? '' : errorsOf(error));
    };
  }

  function requestOf(head, body) {
    const { method, url, path, params, query, headers, bodyType, client, ip } = head;
    return { method, url, path, params, query, headers, body: kit.readBody(bodyType, body), client, ip };
  }

  function runEndpoint(request, exports, head, body) {
    const { method } = head;
    const handler = handlerOf(exports, method) ?? (method === 'HEAD' ? handlerOf(exports, 'GET') : undefined);
    if (handler === undefined) throw new TypeError(`module.exports has no handler for ${method}`);
    const response = new kit.Response(request);
    request.given = requestOf(head, body);
    const result = handler(request.given, response, createNext(request));
    // In a synchronous module nothing runs later: a `then` that it returns is not called.
    if (!options.synchronous && isObject(result) && result !== response) {
      PromiseThen(PromiseResolve(result), undefined, (thrown) => fail(request, thrown));
    }
  }

  /** What a hook has begun and does not wait for ends with it: older servers went on. */
  function noteLeftOver(request) {
    if (request.pending === 0) return;
    kit.log.record(
      request,
      'warn',
      `The hook returned while ${request.pending} of its timers and calls were open: nothing of it runs after that. Return a promise that waits for them`,
    );
  }

  /** An error that a hook returns is one that it throws: no document is an error. */
  function finishHook(request, value, type) {
    try {
      if (kit.isError(value)) throw value;
      const replacer = type === 'beforeGet' ? finite : undefined;
      const text = value === undefined ? '' : (JSONStringify(value, replacer) ?? '');
      const limit = options.responseBytes;
      if (text.length > limit || (text.length * 3 > limit && bytesOf(text) > limit)) {
        request.tooLarge = new RangeError(`The result has more than ${limit} bytes`);
        throw request.tooLarge;
      }
      noteLeftOver(request);
      finish(request, 'result', '{}', text);
    } catch (thrown) {
      fail(request, thrown);
    }
  }

  /** Where the documents of a hook are those that are stored, they come once. */
  function addPreviousDocs(data) {
    const documents = data.updatedDocs ?? data.deletedDocs;
    if (data.previousDocs === undefined && documents !== undefined) kit.put(data, 'previousDocs', documents);
    return data;
  }

  function runHook(request, exports, head, body) {
    if (typeof exports !== 'function') throw new TypeError('module.exports is not a function');
    request.given = head.data.req ?? undefined;
    const result = exports(JSONParse(body), head.type, addPreviousDocs(head.data));
    if (options.synchronous || !isObject(result)) {
      finishHook(request, result, head.type);
      return;
    }
    PromiseThen(
      PromiseResolve(result),
      (value) => finishHook(request, value, head.type),
      (thrown) => fail(request, thrown),
    );
  }

  /** The first time slice of a request. Whatever the author's code throws ends here, inside the timed call. */
  function start(number, headText, body, seedA, seedB) {
    const request = new Request(number);
    current.request = request;
    try {
      const head = JSONParse(headText);
      const exports = evaluate(request, seedA, seedB);
      if (options.kind === 'hook') runHook(request, exports, head, body);
      else runEndpoint(request, exports, head, body);
    } catch (thrown) {
      fail(request, thrown);
    }
  }

  /**
   * Starts requests, one after the other. Those of a synchronous module may be several: each has ended before the next one begins.
   * One that came alone takes the same way, so that it looks the same in a stack. Returns how many began. `listText`: JSON of
   * [number, characters of its head, characters of its body, seeds of `Math.random`]; `texts`: head, body, head, body, …;
   * `largeBody`: the body of the only one, where it is no part of `texts`.
   */
  function startAll(listText, texts, largeBody) {
    const list = JSONParse(listText);
    let end = 0;
    for (let index = 0; index < list.length; index += 1) {
      const entry = list[index];
      const bodyAt = end + entry[1];
      const headText = StringSlice(texts, end, bodyAt);
      end = bodyAt + entry[2];
      current.mayGoOn = false;
      const body = typeof largeBody === 'string' ? largeBody : StringSlice(texts, bodyAt, end);
      start(entry[0], headText, body, entry[3], entry[4]);
      if (!current.mayGoOn) return index + 1;
    }
    return list.length;
  }

  return { startAll, evaluate, handlerOf, HANDLERS };
});
