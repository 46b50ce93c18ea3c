// Texts to bytes and back, for `buffer`. Not to be required by authors.
(function encodings(module) {
  'use strict';
  /** Up to this length a loop in here is faster than asking the host, and is not counted among what may be asked. */
  const SHORT = 500;
  /** Bytes that one call of the host takes. */
  const MAX_PIECE = 3_000_000;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  const ASCII = /^[\u0000-\u007f]*$/;

  const unitsOf = (text) =>
    Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 0xff);

  /** Text of one character for each byte that passes the mask. */
  function charactersOf(bytes, mask) {
    let text = '';
    for (let index = 0; index < bytes.length; index += 1) text += String.fromCharCode(bytes[index] & mask);
    return text;
  }

  function utf8Of(text) {
    if (text.length <= SHORT && ASCII.test(text)) return unitsOf(text);
    return new TextEncoder().encode(text);
  }

  const isShortAscii = (bytes) => bytes.length <= SHORT && bytes.every((byte) => byte < 0x80);

  /** Long texts in pieces that end between characters. */
  function textOfUtf8(bytes) {
    if (isShortAscii(bytes)) return charactersOf(bytes, 0xff);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    for (let at = 0; at < bytes.length; ) {
      let end = Math.min(bytes.length, at + MAX_PIECE);
      for (let back = 0; back < 3 && end < bytes.length && (bytes[end] & 0xc0) === 0x80; back += 1) end -= 1;
      text += decoder.decode(bytes.subarray(at, end));
      at = end;
    }
    return text;
  }

  function utf16Of(text) {
    const bytes = new Uint8Array(text.length * 2);
    for (let index = 0; index < text.length; index += 1) {
      bytes[index * 2] = text.charCodeAt(index) & 0xff;
      bytes[index * 2 + 1] = text.charCodeAt(index) >> 8;
    }
    return bytes;
  }

  function textOfUtf16(bytes) {
    let text = '';
    for (let at = 0; at + 1 < bytes.length; at += 2)
      text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
    return text;
  }

  /** Anything that is no digit ends it. */
  const hexOf = (text) => Uint8Array.fromHex(/^(?:[0-9a-f]{2})*/i.exec(text)[0]);

  /** Both alphabets; other characters are passed over, and `=` ends it. */
  function base64Of(text) {
    const digits = text
      .replace(/=.*$/s, '')
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .replace(/[^A-Za-z0-9+/]/g, '');
    return Uint8Array.fromBase64(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  }

  const utf8 = { encode: utf8Of, decode: textOfUtf8 };
  const utf16le = { encode: utf16Of, decode: textOfUtf16 };
  const latin1 = { encode: unitsOf, decode: (bytes) => charactersOf(bytes, 0xff) };
  const known = {
    __proto__: null,
    ...{
      utf8,
      'utf-8': utf8,
      utf16le,
      'utf-16le': utf16le,
      ucs2: utf16le,
      'ucs-2': utf16le,
      latin1,
      binary: latin1,
    },
    ascii: { encode: unitsOf, decode: (bytes) => charactersOf(bytes, 0x7f) },
    hex: { encode: hexOf, decode: (bytes) => bytes.toHex() },
    base64: { encode: base64Of, decode: (bytes) => bytes.toBase64() },
    base64url: {
      encode: base64Of,
      decode: (bytes) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true }),
    },
  };

  /** Functions of an encoding by any of its names, or undefined. */
  module.exports = (name) => (typeof name === 'string' ? known[name.toLowerCase()] : undefined);
});
