// `punycode`: names of hosts beyond ASCII, as RFC 3492 says.
(function punycode(module) {
  'use strict';
  const BASE = 36;
  const MIN = 1;
  const MAX = 26;
  const FIRST = 128;
  const MAX_INTEGER = 0x7fffffff;
  const PREFIX = 'xn--';

  const overflow = () => new RangeError('Overflow: input needs wider integers to process');
  const notBasic = () => new RangeError('Illegal input >= 0x80 (not a basic code point)');
  const invalid = () => new RangeError('Invalid input');

  function adapt(delta, points, isFirst) {
    let rest = isFirst ? Math.floor(delta / 700) : delta >> 1;
    rest += Math.floor(rest / points);
    let k = 0;
    for (; rest > ((BASE - MIN) * MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - MIN));
    return Math.floor(k + ((BASE - MIN + 1) * rest) / (rest + 38));
  }

  const threshold = (k, bias) => Math.min(MAX, Math.max(MIN, k - bias));
  const letterOf = (digit) => String.fromCharCode(digit + (digit < 26 ? 97 : 22));

  function digitOf(code) {
    if (code >= 48 && code < 58) return code - 22;
    if (code >= 65 && code < 91) return code - 65;
    return code >= 97 && code < 123 ? code - 97 : BASE;
  }

  const ucs2 = {
    decode: (text) => Array.from(text, (character) => character.codePointAt(0)),
    encode: (points) => points.map((point) => String.fromCodePoint(point)).join(''),
  };

  /** Writes one delta as digits of a changing base. */
  function digitsOf(delta, bias) {
    let text = '';
    let rest = delta;
    for (let k = BASE; ; k += BASE) {
      const limit = threshold(k, bias);
      if (rest < limit) return text + letterOf(rest);
      text += letterOf(limit + ((rest - limit) % (BASE - limit)));
      rest = Math.floor((rest - limit) / (BASE - limit));
    }
  }

  function encode(text) {
    const points = ucs2.decode(text);
    let output = points
      .filter((point) => point < FIRST)
      .map((point) => String.fromCharCode(point))
      .join('');
    const basic = output.length;
    let handled = basic;
    let [n, delta, bias] = [FIRST, 0, 72];
    if (basic > 0) output += '-';
    while (handled < points.length) {
      const next = points.reduce((min, point) => (point >= n && point < min ? point : min), MAX_INTEGER);
      if (next - n > Math.floor((MAX_INTEGER - delta) / (handled + 1))) throw overflow();
      delta += (next - n) * (handled + 1);
      n = next;
      for (const point of points) {
        if (point < n) delta += 1;
        if (delta > MAX_INTEGER) throw overflow();
        if (point !== n) continue;
        output += digitsOf(delta, bias);
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled += 1;
      }
      delta += 1;
      n += 1;
    }
    return output;
  }

  function decode(text) {
    const last = Math.max(0, text.lastIndexOf('-'));
    const points = [];
    for (let index = 0; index < last; index += 1) {
      if (text.charCodeAt(index) >= FIRST) throw notBasic();
      points.push(text.charCodeAt(index));
    }
    let [n, i, bias] = [FIRST, 0, 72];
    for (let index = last > 0 ? last + 1 : 0; index < text.length; ) {
      const before = i;
      for (let weight = 1, k = BASE; ; k += BASE) {
        if (index >= text.length) throw invalid();
        const digit = digitOf(text.charCodeAt(index));
        index += 1;
        if (digit >= BASE) throw invalid();
        if (digit > Math.floor((MAX_INTEGER - i) / weight)) throw overflow();
        i += digit * weight;
        const limit = threshold(k, bias);
        if (digit < limit) break;
        if (weight > Math.floor(MAX_INTEGER / (BASE - limit))) throw overflow();
        weight *= BASE - limit;
      }
      bias = adapt(i - before, points.length + 1, before === 0);
      n += Math.floor(i / (points.length + 1));
      i %= points.length + 1;
      points.splice(i, 0, n);
      i += 1;
    }
    return String.fromCodePoint(...points);
  }

  /** Each label of a host name, or of the part of a mail address behind the `@`. */
  function mapLabels(text, change) {
    const at = text.lastIndexOf('@');
    const labels = text
      .slice(at + 1)
      .replace(/[\u3002\uff0e\uff61]/g, '.')
      .split('.');
    return text.slice(0, at + 1) + labels.map(change).join('.');
  }

  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  const NOT_ASCII = /[^\u0000-\u007f]/;
  const toASCII = (text) =>
    mapLabels(text, (label) => (NOT_ASCII.test(label) ? PREFIX + encode(label) : label));
  const toUnicode = (text) =>
    mapLabels(text, (label) =>
      label.startsWith(PREFIX) ? decode(label.slice(PREFIX.length).toLowerCase()) : label,
    );

  module.exports = { version: '2.1.0', ucs2, decode, encode, toASCII, toUnicode };
});
