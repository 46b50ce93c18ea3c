// `string_decoder`: text of bytes that come in pieces, whose ends may be within a character.
(function stringDecoder(module, _exports, require) {
  'use strict';
  const { Buffer } = require('buffer');
  const { withCode, wrongType } = require('./errors');

  /** How many bytes at the end begin a character of UTF-8 that goes on. */
  function openUtf8(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const needs =
        byte >= 0xf0 && byte < 0xf5
          ? 4
          : byte >= 0xe0 && byte < 0xf0
            ? 3
            : byte >= 0xc2 && byte < 0xe0
              ? 2
              : 1;
      return needs > back && new TextDecoder('utf-8').decode(bytes.subarray(-back)).length === 1 ? back : 0;
    }
    return 0;
  }

  /** The same of UTF-16, whose characters of two units have a high one first. */
  function openUtf16(bytes) {
    const odd = bytes.length % 2;
    const high = bytes.length - odd - 1;
    return high > 0 && bytes[high] >= 0xd8 && bytes[high] < 0xdc ? odd + 2 : odd;
  }

  const openBase64 = (bytes) => bytes.length % 3;
  const OPEN = { utf8: openUtf8, utf16le: openUtf16, base64: openBase64, base64url: openBase64 };
  const NAMES = {
    'utf-8': 'utf8',
    ucs2: 'utf16le',
    'ucs-2': 'utf16le',
    'utf-16le': 'utf16le',
    binary: 'latin1',
  };

  class StringDecoder {
    #rest = Buffer.alloc(0);

    constructor(encoding) {
      const name =
        encoding === undefined || encoding === null || encoding === '' ? 'utf8' : `${encoding}`.toLowerCase();
      if (!Buffer.isEncoding(name))
        throw withCode(new TypeError(`Unknown encoding: ${encoding}`), 'ERR_UNKNOWN_ENCODING');
      this.encoding = NAMES[name] ?? name;
    }

    write(bytes) {
      if (typeof bytes === 'string') return bytes;
      if (!ArrayBuffer.isView(bytes))
        throw wrongType('buf', 'an instance of Buffer, TypedArray, or DataView', bytes);
      const all = Buffer.concat([this.#rest, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
      const open = OPEN[this.encoding]?.(all) ?? 0;
      this.#rest = all.subarray(all.length - open);
      return all.toString(this.encoding, 0, all.length - open);
    }

    end(bytes) {
      const text = bytes === undefined ? '' : this.write(bytes);
      const rest = this.#rest;
      this.#rest = Buffer.alloc(0);
      return text + rest.toString(this.encoding);
    }
  }

  module.exports = { StringDecoder };
});
