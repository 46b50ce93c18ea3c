// What is told of a thrown value: a short message, the stack in lines of the author's own file, a status, and the list of what is
// wrong with each field. Whatever an author's getters and methods do runs in here, under the clock of the time slice; what they
// answer is made a text or a number once.
(function describeErrors(kit) {
  'use strict';
  const { ArrayIsArray, JSONStringify, NumberIsInteger, String } = kit.p;
  const { StringCharCodeAt, StringIncludes, StringIndexOf, StringSlice, StringTrim } = kit.p;
  const MESSAGE_CHARACTERS = 300;
  const MAX_CALL_SITES = 10;
  const CALL_SITE_CHARACTERS = 200;
  const STACK_CHARACTERS = 20_000;
  /** Entries of a list of errors, and characters of its JSON. The server has the same limits. */
  const MAX_ENTRIES = 101;
  const MAX_LIST_CHARACTERS = 65_536;
  /** The members of an entry that are told, and how many characters of them. */
  const TEXTS = ['field', 'message', 'code', 'title', 'details', 'hookName'];
  const MAX_TEXT_CHARACTERS = [1_001, 1_001, 100, 100, 1_001, 100];
  /** No batch has more documents. */
  const MAX_INDEX = 1_000_000;
  const place = `${kit.options.name}:`;
  /** What the engine says of a call of `Model` where there is none. */
  const NO_MODEL = 'Model is not a function';
  const NO_MODEL_REASON = ': `grants.collections` of the policy of this module names no collection';

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /** The text of anything, cut. Whatever the author's own methods do (throw, answer an object) ends here. */
  function textOf(value, characters) {
    try {
      return StringSlice(typeof value === 'symbol' ? 'Symbol()' : String(value), 0, characters);
    } catch {
      return '';
    }
  }

  function messageOf(thrown) {
    if (!isObject(thrown)) return textOf(thrown, MESSAGE_CHARACTERS);
    try {
      const list = ArrayIsArray(thrown) ? errorsOf(thrown) : '';
      if (list !== '') return StringSlice(list, 0, MESSAGE_CHARACTERS);
      const message = thrown.message;
      const text = message === undefined ? '' : textOf(message, MESSAGE_CHARACTERS);
      if (text === NO_MODEL && !kit.options.model) return NO_MODEL + NO_MODEL_REASON;
      return text === ''
        ? textOf(thrown, MESSAGE_CHARACTERS) || 'A value without a message was thrown'
        : text;
    } catch {
      return 'The thrown value cannot be read';
    }
  }

  /** The call sites of the author's file, one a line: `at get (endpoint.report.js:3:9)`. */
  function stackOf(thrown) {
    if (!isObject(thrown)) return '';
    let text = '';
    try {
      text = thrown.stack;
      if (typeof text !== 'string') return '';
    } catch {
      return '';
    }
    text = StringSlice(text, 0, STACK_CHARACTERS);
    let callSites = '';
    let start = 0;
    for (let found = 0; found < MAX_CALL_SITES && start < text.length; ) {
      const newline = StringIndexOf(text, '\n', start);
      const end = newline === -1 ? text.length : newline;
      const line = StringTrim(StringSlice(text, start, end));
      start = end + 1;
      if (!isCallSite(line)) continue;
      callSites += `${found === 0 ? '' : '\n'}${StringSlice(line, 0, CALL_SITE_CHARACTERS)}`;
      found += 1;
    }
    return callSites;
  }

  function isCallSite(line) {
    if (!StringIncludes(line, place) || StringSlice(line, 0, 3) !== 'at ') return false;
    const last = StringCharCodeAt(line, line.length - 1);
    return last === 0x29 || (last >= 0x30 && last <= 0x39);
  }

  /** `,"statusCode":…` where a thrown value has one that is a whole number from 400 to `max`, else nothing. */
  function statusOf(thrown, max) {
    try {
      const status = isObject(thrown) ? thrown.statusCode : undefined;
      const isAllowed =
        typeof status === 'number' && status >= 400 && status <= max && NumberIsInteger(status);
      return isAllowed ? `,"statusCode":${status}` : '';
    } catch {
      return '';
    }
  }

  /** JSON of what an entry of a list of errors says; empty unless it has a message, and a field or a code. */
  function entryOf(entry) {
    if (!isObject(entry)) return '';
    const found = { __proto__: null };
    let members = '';
    for (let at = 0; at < TEXTS.length; at += 1) {
      const value = entry[TEXTS[at]];
      if (typeof value !== 'string' || value === '') continue;
      found[TEXTS[at]] = true;
      const text = JSONStringify(StringSlice(value, 0, MAX_TEXT_CHARACTERS[at]));
      members += `${members === '' ? '' : ','}"${TEXTS[at]}":${text}`;
    }
    if (!found.message || !(found.field || found.code)) return '';
    const { index } = entry;
    const hasIndex = typeof index === 'number' && index >= 0 && index <= MAX_INDEX && NumberIsInteger(index);
    return `{${members}${hasIndex ? `,"index":${index}` : ''}}`;
  }

  /**
   * JSON of the list of errors that a thrown value is, or has in `errors`; empty where there is none, or where an entry is none. Of a
   * long list the first entries, and one that says how many there are besides.
   */
  function errorsOf(thrown) {
    try {
      const list = ArrayIsArray(thrown) ? thrown : isObject(thrown) ? thrown.errors : undefined;
      // A proxy of a list is one too, and may have any length.
      const length = ArrayIsArray(list) ? list.length : 0;
      if (typeof length !== 'number' || !NumberIsInteger(length) || length < 1) return '';
      const limit = length > MAX_ENTRIES ? MAX_ENTRIES - 1 : length;
      let entries = '';
      let count = 0;
      for (; count < limit; count += 1) {
        const entry = entryOf(list[count]);
        if (entry === '') return '';
        if (entries.length + entry.length > MAX_LIST_CHARACTERS) break;
        entries += `${count === 0 ? '' : ','}${entry}`;
      }
      if (count === length) return `[${entries}]`;
      const message = `${length - count} more problems are not listed`;
      return `[${entries},{"message":"${message}","code":"DOCUMENT_INVALID"}]`;
    } catch {
      return '';
    }
  }

  /** JSON text. `JSON.stringify` of a primitive text runs nobody's `toJSON`. */
  function headOf(thrown, extra) {
    const stack = stackOf(thrown);
    const stackPart = stack === '' ? '' : `,"stack":${JSONStringify(stack)}`;
    return `{"message":${JSONStringify(messageOf(thrown))}${stackPart}${extra}}`;
  }

  return { messageOf, stackOf, headOf, statusOf, errorsOf, isObject };
});
