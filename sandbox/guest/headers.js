// The headers of one answer: checked when they are set, kept in the order in which they came.
(function responseHeaders(kit) {
  'use strict';
  const {
    ArrayIsArray,
    JSONStringify,
    NumberIsInteger,
    ObjectHasOwn,
    RangeError,
    RegExp,
    RegExpExec,
    String,
  } = kit.p;
  const { StringToLowerCase, TypeError } = kit.p;
  const MAX_HEADERS = 50;
  const MAX_HEADER_CHARACTERS = 16_384;
  const NAME = new RegExp("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$");
  /** Also refuses line ends, and what becomes one when only its low byte is kept. */
  const NOT_A_VALUE = new RegExp('[^\\t\\x20-\\x7e\\x80-\\xff]');

  class Headers {
    /** Lower-case name → {name, value: text or texts, json: pairs as JSON text}. */
    #entries = { __proto__: null };
    #count = 0;
    #characters = 0;

    /** `name` and `value` are whatever the author passed: each is made a text once, then checked, then kept. */
    set(name, value) {
      const nameText = String(name);
      if (RegExpExec(NAME, nameText) === null) throw new TypeError('This is not a name of a header');
      this.#put(nameText, ArrayIsArray(value) ? this.#texts(nameText, value) : valueText(nameText, value));
    }

    #texts(name, values) {
      // A proxy of a list may have a length that is another one each time it is read.
      const texts = { __proto__: null, length: +values.length };
      if (!(NumberIsInteger(texts.length) && texts.length >= 1 && texts.length <= MAX_HEADERS)) {
        throw new RangeError(`An answer has at most ${MAX_HEADERS} headers`);
      }
      for (let index = 0; index < texts.length; index += 1) texts[index] = valueText(name, values[index]);
      return texts;
    }

    #put(name, value) {
      const key = StringToLowerCase(name);
      const old = this.#entries[key];
      const entry = entryOf(name, value);
      const count = this.#count + entry.count - (old === undefined ? 0 : old.count);
      const characters = this.#characters + entry.characters - (old === undefined ? 0 : old.characters);
      if (count > MAX_HEADERS) throw new RangeError(`An answer has at most ${MAX_HEADERS} headers`);
      if (characters > MAX_HEADER_CHARACTERS) {
        throw new RangeError(`The headers of an answer have at most ${MAX_HEADER_CHARACTERS} characters`);
      }
      this.#entries[key] = entry;
      this.#count = count;
      this.#characters = characters;
    }

    has(name) {
      return ObjectHasOwn(this.#entries, StringToLowerCase(String(name)));
    }

    /** A text, a list of texts made anew, or undefined. */
    get(name) {
      const entry = this.#entries[StringToLowerCase(String(name))];
      return entry === undefined ? undefined : valueOf(entry);
    }

    remove(name) {
      const key = StringToLowerCase(String(name));
      const entry = this.#entries[key];
      if (entry === undefined) return;
      this.#count -= entry.count;
      this.#characters -= entry.characters;
      delete this.#entries[key];
    }

    all() {
      const found = { __proto__: null };
      for (const key in this.#entries) found[key] = valueOf(this.#entries[key]);
      return found;
    }

    /** `["name","value"],…` */
    json() {
      let text = '';
      for (const key in this.#entries) text += `${text === '' ? '' : ','}${this.#entries[key].json}`;
      return text;
    }
  }

  function valueText(name, value) {
    const text = String(value);
    if (value === undefined || RegExpExec(NOT_A_VALUE, text) !== null) {
      throw new TypeError(`The value of the header ${name} has characters that no header may have`);
    }
    return text;
  }

  function entryOf(name, value) {
    const quotedName = JSONStringify(name);
    if (typeof value === 'string') {
      const json = `[${quotedName},${JSONStringify(value)}]`;
      return { name, value, json, count: 1, characters: name.length + value.length };
    }
    let json = '';
    let characters = 0;
    for (let index = 0; index < value.length; index += 1) {
      json += `${index === 0 ? '' : ','}[${quotedName},${JSONStringify(value[index])}]`;
      characters += name.length + value[index].length;
    }
    return { name, value, json, count: value.length, characters };
  }

  function valueOf(entry) {
    if (typeof entry.value === 'string') return entry.value;
    const list = [];
    // Defined, not assigned: a setter on Array.prototype must not see it.
    for (let index = 0; index < entry.value.length; index += 1) kit.put(list, index, entry.value[index]);
    return list;
  }

  return Headers;
});
