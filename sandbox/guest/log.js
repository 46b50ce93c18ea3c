// `console`: one record for each call, as text, within the request's budget of lines and bytes.
(function logs(kit) {
  'use strict';
  const { JSONStringify, Number, String, StringCharCodeAt, StringIndexOf, StringSlice } = kit.p;
  const { isObject, messageOf, stackOf } = kit.errors;
  const { bytesOf } = kit.requests;
  const { bridge } = kit;
  const MESSAGE_CHARACTERS = 8_192;
  const LAST = 'Further records of this request are dropped: its log is full';
  const LAST_BYTES = 128;

  function send(request, level, message, stack) {
    if (request.dead || request.logClosed) return;
    const stackPart = stack === '' ? '' : `,"stack":${JSONStringify(stack)}`;
    const line = `{"level":"${level}","message":${JSONStringify(message)}${stackPart}}`;
    // As it is sent: control characters are six times as long in JSON.
    const bytes = bytesOf(line);
    if (request.logLinesLeft <= 1 || request.logBytesLeft < bytes + LAST_BYTES) {
      request.logClosed = true;
      if (request.logLinesLeft < 1 || request.logBytesLeft < LAST_BYTES) return;
      bridge(request.number, 'log', `{"level":"warn","message":${JSONStringify(LAST)}}`, '');
      return;
    }
    request.logLinesLeft -= 1;
    request.logBytesLeft -= bytes;
    bridge(request.number, 'log', line, '');
  }

  /** What a thrown value is in the log. */
  function record(request, level, thrown) {
    send(request, level, messageOf(thrown), stackOf(thrown));
  }

  /** A value as text. Errors by their message, plain data as JSON. */
  function show(value) {
    if (typeof value === 'string') return StringSlice(value, 0, MESSAGE_CHARACTERS);
    if (typeof value === 'symbol') return 'Symbol()';
    if (typeof value === 'function') return '[Function]';
    if (!isObject(value)) return String(value);
    if (kit.isError(value)) return messageOf(value);
    try {
      const text = JSONStringify(value);
      if (typeof text === 'string') return StringSlice(text, 0, MESSAGE_CHARACTERS);
    } catch {
      // Cycles, BigInts, methods that throw.
    }
    return '[object]';
  }

  /** One `%s` and its like of a format. */
  function directive(code, value) {
    if (code === 0x64) return isObject(value) ? 'NaN' : String(Number(value));
    if (code === 0x69) return isObject(value) ? 'NaN' : String(kit.p.parseInt(String(value), 10));
    if (code === 0x66) return isObject(value) ? 'NaN' : String(kit.p.parseFloat(String(value)));
    if (code === 0x63) return '';
    return show(value);
  }

  /** `s`, `d`, `i`, `f`, `j`, `o`, `O`, `c` */
  const isDirective = (code) => StringIndexOf('sdifjoOc', kit.p.StringFromCharCode(code)) !== -1;

  /** The arguments of a call as one text: the first may hold `%s` and its like. */
  function format(list) {
    let text = '';
    let next = 0;
    if (typeof list[0] === 'string') {
      const pattern = StringSlice(list[0], 0, MESSAGE_CHARACTERS);
      next = 1;
      let from = 0;
      for (let at = StringIndexOf(pattern, '%'); at !== -1; at = StringIndexOf(pattern, '%', at)) {
        const code = at + 1 < pattern.length ? StringCharCodeAt(pattern, at + 1) : 0;
        const escaped = code === 0x25 && list.length > 1;
        if (!escaped && !(isDirective(code) && next < list.length)) {
          at += 1;
          continue;
        }
        text += StringSlice(pattern, from, at) + (escaped ? '%' : directive(code, list[next]));
        if (!escaped) next += 1;
        at += 2;
        from = at;
      }
      text += StringSlice(pattern, from);
    }
    for (; next < list.length && text.length < MESSAGE_CHARACTERS; next += 1) {
      text += `${next === 0 ? '' : ' '}${show(list[next])}`;
    }
    return StringSlice(text, 0, MESSAGE_CHARACTERS);
  }

  /** The stack of the first error among the arguments. */
  function firstStack(list) {
    for (let index = 0; index < list.length; index += 1) {
      if (isObject(list[index]) && kit.isError(list[index])) return stackOf(list[index]);
    }
    return '';
  }

  /** A console for one request. Its functions work detached (`promise.catch(console.error)`). */
  function createConsole(request) {
    const at = (level) =>
      function () {
        // A flood costs its author next to nothing, and us as little.
        if (request.dead || request.logClosed) return;
        send(request, level, format(arguments), firstStack(arguments));
      };
    return {
      log: at('info'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      debug: at('debug'),
      trace: at('debug'),
    };
  }

  return { record, createConsole };
});
