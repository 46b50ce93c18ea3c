// `querystring`: texts of a query and objects of their members.
(function querystring(module, _exports, require) {
  'use strict';
  const { withCode } = require('./errors');
  const MAX_KEYS = 1000;

  /** Bytes of a text in which not every `%` begins an escape: what is none stays. */
  function unescapeBuffer(text) {
    const encoded = new TextEncoder().encode(String(text));
    const bytes = [];
    for (let index = 0; index < encoded.length; index += 1) {
      const hex = encoded[index] === 0x25 ? String.fromCharCode(encoded[index + 1], encoded[index + 2]) : '';
      const isEscape = /^[0-9a-f]{2}$/i.test(hex);
      bytes.push(isEscape ? Number.parseInt(hex, 16) : encoded[index]);
      if (isEscape) index += 2;
    }
    return Uint8Array.from(bytes);
  }

  function unescape(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(unescapeBuffer(text));
    }
  }

  function escape(value) {
    const text = typeof value === 'object' ? String(value) : `${value}`;
    if (!text.isWellFormed()) throw withCode(new URIError('URI malformed'), 'ERR_INVALID_URI');
    return encodeURIComponent(text);
  }

  function textOf(value) {
    if (typeof value === 'string') return value;
    const isWritten =
      typeof value === 'bigint' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value));
    return isWritten ? `${value}` : '';
  }

  function stringify(object, separator, equals, options) {
    if (typeof object !== 'object' || object === null) return '';
    const encode =
      options && typeof options.encodeURIComponent === 'function' ? options.encodeURIComponent : api.escape;
    const pairs = [];
    for (const key of Object.keys(object)) {
      const start = `${encode(textOf(key))}${equals || '='}`;
      const values = Array.isArray(object[key]) ? object[key] : [object[key]];
      for (const value of values) pairs.push(start + encode(textOf(value)));
    }
    return pairs.join(separator || '&');
  }

  function decoded(text, decode) {
    const spaced = text.replaceAll('+', ' ');
    try {
      return decode(spaced);
    } catch {
      return unescape(spaced);
    }
  }

  function parse(text, separator, equals, options) {
    const object = { __proto__: null };
    if (typeof text !== 'string' || text === '') return object;
    const by = equals || '=';
    const decode =
      options && typeof options.decodeURIComponent === 'function' ? options.decodeURIComponent : api.unescape;
    const max = options && typeof options.maxKeys === 'number' ? options.maxKeys : MAX_KEYS;
    let pairs = text.split(separator || '&').filter((pair) => pair !== '');
    if (max > 0) pairs = pairs.slice(0, max);
    for (const pair of pairs) {
      const at = pair.indexOf(by);
      const key = decoded(at === -1 ? pair : pair.slice(0, at), decode);
      const value = at === -1 ? '' : decoded(pair.slice(at + by.length), decode);
      if (!(key in object)) object[key] = value;
      else if (Array.isArray(object[key])) object[key].push(value);
      else object[key] = [object[key], value];
    }
    return object;
  }

  const api = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
  module.exports = api;
});
