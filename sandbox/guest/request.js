// The state of one request, out of its author's reach, and the only ways out of the isolate: answers, guest calls, logs.
(function requests(kit) {
  'use strict';
  const { Error, JSONParse, JSONStringify, RangeError, RegExp, RegExpExec, TypeError } = kit.p;
  const { bridge, options } = kit;
  const { errorsOf, headOf, isObject, statusOf } = kit.errors;
  const isHook = options.kind === 'hook';
  /** The highest status with which a hook may refuse. */
  const MAX_STATUS = 499;

  /** What the host answers to a call for which its message to the server has no room. */
  const CALLS_TOO_LARGE = 0;
  /** Up to this length it is faster to look at a text here than to ask. */
  const SHORT = 500;
  const NOT_ASCII = new RegExp('[^\\x00-\\x7f]');

  /** Requests that wait for guest calls, by number. */
  const waiting = { __proto__: null };

  class Request {
    number;
    /** The object that the author's code has as its request, if there is one. */
    given = undefined;
    /** Its answer has been sent. */
    ended = false;
    /** It was stopped: nothing of it may do anything any more. */
    dead = false;
    /** Answers of guest calls that it still waits for, by number of the call; how many they are. */
    calls = undefined;
    pending = 0;
    lastCall = 0;
    timersLeft = options.timers;
    callsLeft = options.hostCalls;
    /**
     * Pure functions of the host (URLs, digests, UTF-8), whose time no limit of the engine counts. The host bounds that time too
     * (`bridge-time.js`).
     */
    asksLeft = 20_000;
    askedLeft = 33_554_432;
    symbolsLeft = 1_000;
    logLinesLeft = options.logLines;
    logBytesLeft = options.logBytes;
    logClosed = false;
    /** The error that says that the response is too large, once thrown. */
    tooLarge = undefined;

    constructor(number) {
      this.number = number;
    }
  }

  /** Whose time slice it is: set on every entry, for the budgets of pure functions only. Authority goes by closures. */
  const current = { request: undefined, mayGoOn: false };

  /** A longer text would take too much of the memory of the host, which has less of it than the isolate. */
  const LONGEST_ASKED = 4_194_304;
  /** Of pairs, whose characters the host replaces one by one, or writes as nine. */
  const LONGEST_PAIRS = 1_048_576;
  const PAIRS = { __proto__: null, form: 1, pairs: 1, query: 1 };

  /** Asks a pure function of the host: text in, text out. */
  function ask(kind, head, body) {
    const request = current.request;
    if (request === undefined || request.dead) throw new Error('This request is over');
    const characters = head.length + body.length;
    const longest = PAIRS[kind] === 1 ? LONGEST_PAIRS : LONGEST_ASKED;
    if (characters > longest) {
      throw new RangeError(`A text for a helper of the host has at most ${longest} characters`);
    }
    request.asksLeft -= 1;
    request.askedLeft -= characters;
    const answer =
      request.asksLeft < 0 || request.askedLeft < 0 ? undefined : bridge(request.number, kind, head, body);
    if (answer === undefined) {
      throw new RangeError('Too much work for the helpers of the host in one request');
    }
    return answer;
  }

  /** Bytes of a text in UTF-8. Where the host does not say, the most that they can be. */
  function bytesOf(text) {
    if (text.length <= SHORT && RegExpExec(NOT_ASCII, text) === null) return text.length;
    const bytes = bridge(0, 'bytes', '', text);
    return typeof bytes === 'number' ? bytes : text.length * 3;
  }

  /** Sends the answer: `kind` is end, result, next or error. The first one counts. */
  function finish(request, kind, head, body) {
    if (request.ended || request.dead) return;
    current.mayGoOn = bridge(request.number, kind, head, body) === 1;
    request.ended = true;
    if (request.lastCall > 0) delete waiting[request.number];
  }

  /** Ends the request with what its author's code threw; after its end that is only a line of the log. */
  function fail(request, thrown) {
    if (request.dead) return;
    if (request.ended) {
      kit.log.record(request, 'error', thrown);
      return;
    }
    const tooLarge = request.tooLarge !== undefined && thrown === request.tooLarge;
    const rejection = isHook ? `${codeOf(thrown)}${statusOf(thrown, MAX_STATUS)}` : '';
    const head = headOf(thrown, `${tooLarge ? ',"tooLarge":true' : ''}${rejection}`);
    finish(request, 'error', head, isHook ? errorsOf(thrown) : '');
  }

  /** A hook may name the code of its refusal. */
  function codeOf(thrown) {
    if (!isObject(thrown)) return '';
    try {
      const code = thrown.code;
      return typeof code === 'string' && code.length <= 100 ? `,"code":${JSONStringify(code)}` : '';
    } catch {
      return '';
    }
  }

  /**
   * Asks the server for something that takes time. `settle(ok, text)` gets its answer in a later time slice.
   * `args` is JSON text.
   */
  function callServer(request, name, args, settle) {
    if (request.ended || request.dead) throw new Error('This request is over');
    if (name === 'timer') {
      if (request.timersLeft <= 0) throw new RangeError(`More than ${options.timers} timers in one request`);
      request.timersLeft -= 1;
    } else {
      if (request.callsLeft <= 0) {
        throw new RangeError(`More than ${options.hostCalls} calls of the server in one request`);
      }
      request.callsLeft -= 1;
    }
    const call = request.lastCall + 1;
    if (bridge(request.number, 'call', `{"call":${call},"name":"${name}"}`, args) === CALLS_TOO_LARGE) {
      throw new RangeError('The calls of one time slice are too large together');
    }
    request.lastCall = call;
    request.calls ??= { __proto__: null };
    request.calls[call] = settle;
    request.pending += 1;
    waiting[request.number] = request;
    return call;
  }

  /** For `JSON.stringify` of conditions. JSON has no such numbers, and `null` would ask for what has no value: a query that deletes would find other documents. */
  function finite(name, value) {
    if (typeof value !== 'number' || value - value === 0) return value;
    throw new TypeError(`\`${name}\` is ${value}: a condition needs a finite number`);
  }

  /** The answer is not wanted any more (a cleared timer). */
  function dropCall(request, call) {
    if (request.calls[call] === undefined) return;
    delete request.calls[call];
    request.pending -= 1;
  }

  function deliver(number, call, ok, text) {
    const request = waiting[number];
    if (request === undefined) return;
    const settle = request.calls[call];
    if (settle === undefined) return;
    dropCall(request, call);
    current.request = request;
    try {
      settle(ok, text);
    } catch (thrown) {
      fail(request, thrown);
    }
  }

  /** The Error of a guest call that failed: `text` is JSON of `{code, message, …}`, written by the server. */
  function failureOf(text) {
    const { code, message, errors, statusCode } = JSONParse(text);
    const failure = new Error(message);
    kit.put(failure, 'code', code);
    if (errors !== undefined) kit.put(failure, 'errors', errors);
    if (statusCode !== undefined) kit.put(failure, 'statusCode', statusCode);
    return failure;
  }

  /** How many guest calls the request waits for. One that waits for none is over. */
  function pendingOf(number) {
    const request = waiting[number];
    if (request !== undefined && request.pending > 0) return request.pending;
    stop(number);
    return 0;
  }

  /** Nothing of this request may run or speak any more. */
  function stop(number) {
    const request = waiting[number];
    if (request !== undefined) request.dead = true;
    delete waiting[number];
    if (current.request !== undefined && current.request.number === number) {
      current.request.dead = true;
      current.request = undefined;
    }
  }

  /** After a shared entry that was stopped: whichever request ran, nothing of it may run or speak any more. */
  function stopCurrent() {
    if (current.request !== undefined) current.request.dead = true;
    current.request = undefined;
  }

  return {
    Request,
    current,
    ask,
    bytesOf,
    finish,
    fail,
    callServer,
    finite,
    dropCall,
    deliver,
    failureOf,
    pendingOf,
    stop,
    stopCurrent,
  };
});
