// `TextEncoder`, `TextDecoder`, `atob`, `btoa`. The host does the work: the interpreter in here would be slow at it.
(function texts(kit) {
  'use strict';
  const { Error, ObjectDefineProperty, RangeError, String, StringCharCodeAt, StringToLowerCase } = kit.p;
  const { StringTrim, TypedArraySet, TypedArrayTag, TypeError } = kit.p;
  const { ask } = kit.requests;
  const { encode, lengthOf, toBase64, viewOf } = kit.bytes;

  /** How many UTF-16 units of `text` fit into `maxBytes` bytes of UTF-8, whole characters only. */
  function unitsThatFit(text, maxBytes) {
    let bytes = 0;
    for (let index = 0; index < text.length; ) {
      const code = StringCharCodeAt(text, index);
      const low = index + 1 < text.length ? StringCharCodeAt(text, index + 1) : 0;
      const isPair = code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000;
      bytes += isPair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
      if (bytes > maxBytes) return index;
      index += isPair ? 2 : 1;
    }
    return text.length;
  }

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(text) {
      return encode(text === undefined ? '' : String(text));
    }

    encodeInto(source, destination) {
      if (TypedArrayTag(destination) !== 'Uint8Array') throw new TypeError('encodeInto needs a Uint8Array');
      const text = String(source);
      const read = unitsThatFit(text, lengthOf(destination));
      const bytes = encode(kit.p.StringSlice(text, 0, read));
      TypedArraySet(destination, bytes);
      return { read, written: lengthOf(bytes) };
    }
  }

  class TextDecoder {
    #fatal;
    #ignoreBOM;

    constructor(label, options) {
      const name = StringToLowerCase(StringTrim(label === undefined ? 'utf-8' : String(label)));
      if (name !== 'utf-8' && name !== 'utf8') throw new RangeError('The only encoding here is utf-8');
      this.#fatal = options !== undefined && options !== null && !!options.fatal;
      this.#ignoreBOM = options !== undefined && options !== null && !!options.ignoreBOM;
    }

    get encoding() {
      return 'utf-8';
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input, options) {
      if (options !== undefined && options !== null && options.stream) {
        throw new TypeError('A TextDecoder decodes whole texts here: there is no stream option');
      }
      if (input === undefined) return '';
      const view = viewOf(input);
      if (view === undefined) throw new TypeError('A TextDecoder decodes buffers and typed arrays');
      return kit.decode(view, this.#fatal, this.#ignoreBOM);
    }
  }

  /** Text of bytes. Throws a TypeError for bytes that are not UTF-8 when `fatal`. */
  kit.decode = (view, fatal, ignoreBOM) => {
    const text = ask('decode', `${fatal ? 'fatal ' : ''}${ignoreBOM ? 'bom' : ''}`, toBase64(view));
    if (text === '') throw new TypeError('The bytes are not UTF-8');
    return kit.p.StringSlice(text, 1);
  };

  function invalidCharacter(message) {
    const error = new Error(message);
    ObjectDefineProperty(error, 'name', {
      __proto__: null,
      value: 'InvalidCharacterError',
      configurable: true,
    });
    return error;
  }

  /** `answer` is empty, or `=` and the result. */
  function resultOf(answer, message) {
    if (answer === '') throw invalidCharacter(message);
    return kit.p.StringSlice(answer, 1);
  }

  kit.expose('TextEncoder', TextEncoder);
  kit.expose('TextDecoder', TextDecoder);
  kit.expose('atob', function atob(text) {
    return resultOf(ask('atob', '', String(text)), 'The text is not base64');
  });
  kit.expose('btoa', function btoa(text) {
    return resultOf(ask('btoa', '', String(text)), 'The text has characters above U+00FF');
  });
});
