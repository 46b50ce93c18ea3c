// What a module exports as `openapi`, its own description, as JSON text: copied once, when the code is posted. Getters, proxies and
// `toJSON` of the author run in here, under the clock and in the heap of the loading; nothing but the text leaves.
(function describe(kit) {
  'use strict';
  const { ArrayIsArray, JSONStringify, NumberIsInteger, ObjectKeys, ReflectApply, StringSlice } = kit.p;
  const { isObject, messageOf } = kit.errors;
  /** The server measures again. */
  const MAX_CHARACTERS = 65_536;
  const MAX_VALUES = 10_000;
  const MAX_DEPTH = 40;
  /** Of the name of a member, and of the whole place, in a warning. */
  const MAX_NAME_CHARACTERS = 60;
  const MAX_PLACE_CHARACTERS = 400;

  /** Stops the copy: nothing is written after the first problem. */
  function reject(copy, place, problem) {
    copy.problem ??= `${StringSlice(place, 0, MAX_PLACE_CHARACTERS)} ${problem}`;
    return '';
  }

  /** What JSON has in place of a value. */
  function plain(value, key) {
    if (!isObject(value)) return value;
    const { toJSON } = value;
    return typeof toJSON === 'function' ? ReflectApply(toJSON, value, [key]) : value;
  }

  /** Counts what was written. */
  function counted(copy, text) {
    copy.characters += text.length;
    if (copy.characters > MAX_CHARACTERS) return reject(copy, 'openapi', 'has more than 64 KB of JSON');
    return text;
  }

  function textOf(copy, given, key, place, depth) {
    copy.place = place;
    const value = plain(given, key);
    copy.values += 1;
    if (copy.values > MAX_VALUES) return reject(copy, 'openapi', `has more than ${MAX_VALUES} values`);
    if (value === null || value === true || value === false) return counted(copy, `${value}`);
    if (typeof value === 'number') {
      return value - value === 0 ? counted(copy, `${value}`) : reject(copy, place, 'is no finite number');
    }
    if (typeof value === 'string') {
      return value.length > MAX_CHARACTERS
        ? reject(copy, 'openapi', 'has more than 64 KB of JSON')
        : counted(copy, JSONStringify(value));
    }
    if (typeof value !== 'object')
      return reject(copy, place, `is of the type ${typeof value}, which JSON does not have`);
    if (depth > MAX_DEPTH)
      return reject(copy, place, `is nested deeper than ${MAX_DEPTH} levels, perhaps in itself`);
    return ArrayIsArray(value) ? listText(copy, value, place, depth) : objectText(copy, value, place, depth);
  }

  function listText(copy, list, place, depth) {
    // That of a proxy may be anything.
    const { length } = list;
    if (typeof length !== 'number' || !NumberIsInteger(length)) return reject(copy, place, 'has no length');
    let text = '';
    for (let index = 0; index < length && copy.problem === undefined; index += 1) {
      text += counted(copy, index === 0 ? '' : ',');
      text += textOf(copy, list[index], `${index}`, `${place}[${index}]`, depth + 1);
    }
    return `[${text}]`;
  }

  function objectText(copy, object, place, depth) {
    const keys = ObjectKeys(object);
    let text = '';
    for (let index = 0; index < keys.length && copy.problem === undefined; index += 1) {
      const key = keys[index];
      const member = object[key];
      if (member === undefined) continue;
      if (key.length > MAX_CHARACTERS) return reject(copy, 'openapi', 'has more than 64 KB of JSON');
      text += counted(copy, `${text === '' ? '' : ','}${JSONStringify(key)}:`);
      text += textOf(copy, member, key, `${place}.${StringSlice(key, 0, MAX_NAME_CHARACTERS)}`, depth + 1);
    }
    return `{${text}}`;
  }

  /** JSON text, or why there is none; neither where nothing is exported. */
  return function describeModule(exports) {
    const copy = { __proto__: null, characters: 0, values: 0, place: 'openapi', problem: undefined };
    let text;
    try {
      const { openapi } = exports;
      if (openapi === undefined || openapi === null) return { text, problem: undefined };
      text = textOf(copy, openapi, '', 'openapi', 1);
    } catch (thrown) {
      reject(copy, copy.place, `cannot be read: ${messageOf(thrown)}`);
    }
    return { __proto__: null, text: copy.problem === undefined ? text : undefined, problem: copy.problem };
  };
});
