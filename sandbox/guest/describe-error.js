// What is told of a thrown value: a short message, and the stack in lines of the author's own file.
(function describeErrors(kit) {
  'use strict';
  const { JSONStringify, String, StringCharCodeAt, StringIncludes, StringIndexOf, StringSlice, StringTrim } =
    kit.p;
  const MESSAGE_CHARACTERS = 300;
  const FRAMES = 10;
  const FRAME_CHARACTERS = 200;
  const STACK_CHARACTERS = 20_000;
  const place = `${kit.options.name}:`;

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
      const message = thrown.message;
      const text = message === undefined ? '' : textOf(message, MESSAGE_CHARACTERS);
      return text === ''
        ? textOf(thrown, MESSAGE_CHARACTERS) || 'A value without a message was thrown'
        : text;
    } catch {
      return 'The thrown value cannot be read';
    }
  }

  /** The frames of the author's file, one a line: `at get (endpoint.report.js:3:9)`. */
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
    let frames = '';
    let start = 0;
    for (let found = 0; found < FRAMES && start < text.length; ) {
      const newline = StringIndexOf(text, '\n', start);
      const end = newline === -1 ? text.length : newline;
      const line = StringTrim(StringSlice(text, start, end));
      start = end + 1;
      if (!isFrame(line)) continue;
      frames += `${found === 0 ? '' : '\n'}${StringSlice(line, 0, FRAME_CHARACTERS)}`;
      found += 1;
    }
    return frames;
  }

  function isFrame(line) {
    if (!StringIncludes(line, place) || StringSlice(line, 0, 3) !== 'at ') return false;
    const last = StringCharCodeAt(line, line.length - 1);
    return last === 0x29 || (last >= 0x30 && last <= 0x39);
  }

  /** JSON text. `JSON.stringify` of a primitive text runs nobody's `toJSON`. */
  function headOf(thrown, extra) {
    const stack = stackOf(thrown);
    const stackPart = stack === '' ? '' : `,"stack":${JSONStringify(stack)}`;
    return `{"message":${JSONStringify(messageOf(thrown))}${stackPart}${extra}}`;
  }

  return { messageOf, stackOf, headOf, isObject };
});
