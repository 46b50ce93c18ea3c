// The methods of a `Buffer` beside those that read and write numbers. Not to be required by authors.
(function bufferMethods(module, _exports, require) {
  'use strict';
  const { outOfRange, withCode, wrongType } = require('./errors');
  const MAX_SHOWN = 50;

  /** A whole number from 0 to `most`, as slices count: from the end where it is negative. */
  function place(value, max, absent) {
    if (value === undefined) return absent;
    const whole = Math.trunc(+value) || 0;
    return whole < 0 ? Math.max(0, whole + max) : Math.min(whole, max);
  }

  /** Where `wanted` begins in `bytes`, in steps of `step`, or -1. */
  function search(bytes, wanted, { from, isLast, step }) {
    const last = bytes.length - wanted.length;
    for (let at = isLast ? Math.min(from, last) : from; at >= 0 && at <= last; at += isLast ? -1 : 1) {
      if (at % step === 0 && wanted.every((byte, index) => bytes[at + index] === byte)) return at;
    }
    return -1;
  }

  function wantedOf(value, encoding, coderOf) {
    if (typeof value === 'string') return coderOf(encoding).encode(value);
    if (typeof value === 'number') return Uint8Array.of(value);
    if (value instanceof Uint8Array) return value;
    throw wrongType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value);
  }

  function startOf(offset, length, isLast) {
    if (Number.isNaN(+offset)) return isLast ? length : 0;
    const at = Math.trunc(+offset);
    if (at >= 0) return at;
    return isLast || at + length >= 0 ? at + length : 0;
  }

  /** Swaps the bytes of each group of so many. */
  function swap(bytes, size) {
    if (bytes.length % size !== 0) {
      const error = new RangeError(`Buffer size must be a multiple of ${size * 8}-bits`);
      throw withCode(error, 'ERR_INVALID_BUFFER_SIZE');
    }
    for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse();
    return bytes;
  }

  module.exports = ({ Buffer, coderOf, encodingOf, fillOf, over, requireBytes }) => {
    function find(bytes, value, offset, encoding, isLast) {
      const isEncodingFirst = typeof offset === 'string';
      const name = isEncodingFirst ? offset : encoding;
      const wanted = wantedOf(value, name, coderOf);
      const from = startOf(isEncodingFirst ? undefined : offset, bytes.length, isLast);
      if (wanted.length === 0) return Math.min(from, bytes.length);
      const step = encodingOf(name) === encodingOf('utf16le') ? 2 : 1;
      return search(bytes, wanted, { from, isLast, step });
    }

    return {
      toString(encoding, start, end) {
        const from = place(start < 0 ? undefined : start, this.length, 0);
        const to = end < 0 ? 0 : place(end, this.length, this.length);
        return from >= to ? '' : coderOf(encoding).decode(this.subarray(from, to));
      },
      toLocaleString(encoding, start, end) {
        return this.toString(encoding, start, end);
      },
      toJSON() {
        return { type: 'Buffer', data: Array.from(this) };
      },
      equals(other) {
        requireBytes(other, 'otherBuffer');
        return Buffer.compare(this, other) === 0;
      },
      compare(target, targetStart = 0, targetEnd = target?.length, start = 0, end = this.length) {
        requireBytes(target, 'target');
        return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
      },
      slice(start, end) {
        return this.subarray(start, end);
      },
      subarray(start, end) {
        const from = place(start, this.length, 0);
        const to = Math.max(from, place(end, this.length, this.length));
        return over(new Uint8Array(this.buffer, this.byteOffset + from, to - from));
      },
      copy(target, targetStart = 0, start = 0, end = this.length) {
        requireBytes(target, 'target');
        if (targetStart < 0) throw outOfRange('targetStart', '>= 0', targetStart);
        if (start < 0 || start > this.length)
          throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, start);
        if (targetStart >= target.length) return 0;
        const bytes = this.subarray(start, Math.min(end, start + target.length - targetStart));
        target.set(bytes, targetStart);
        return bytes.length;
      },
      fill(value, offset, end, encoding) {
        const name = typeof offset === 'string' ? offset : typeof end === 'string' ? end : encoding;
        const from = typeof offset === 'number' ? offset : 0;
        const to = typeof end === 'number' ? end : this.length;
        if (from < 0 || from > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, from);
        if (to < 0 || to > this.length) throw outOfRange('end', `>= 0 && <= ${this.length}`, to);
        const bytes = value === '' ? Uint8Array.of(0) : fillOf(value, name);
        if (bytes.length === 0) {
          throw withCode(
            new TypeError(`The argument 'value' is invalid. Received '${value}'`),
            'ERR_INVALID_ARG_VALUE',
          );
        }
        for (let at = from; at < to; at += 1) this[at] = bytes[(at - from) % bytes.length];
        return this;
      },
      write(text, offset, length, encoding) {
        if (typeof text !== 'string') throw wrongType('argument', 'of type string', text);
        const name = [offset, length, encoding].find((each) => typeof each === 'string');
        const at = typeof offset === 'number' ? offset : 0;
        if (at < 0 || at > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, at);
        const quota = Math.min(this.length - at, typeof length === 'number' ? length : this.length);
        const bytes = coderOf(name).encode(text);
        let end = Math.min(bytes.length, quota);
        const isUtf8 = coderOf(name) === encodingOf('utf8');
        // No half character is written.
        while (isUtf8 && end > 0 && end < bytes.length && (bytes[end] & 0xc0) === 0x80) end -= 1;
        if (coderOf(name) === encodingOf('utf16le')) end -= end % 2;
        this.set(bytes.subarray(0, end), at);
        return end;
      },
      indexOf(value, offset, encoding) {
        return find(this, value, offset, encoding, false);
      },
      lastIndexOf(value, offset, encoding) {
        return find(this, value, offset, encoding, true);
      },
      includes(value, offset, encoding) {
        return find(this, value, offset, encoding, false) !== -1;
      },
      swap16() {
        return swap(this, 2);
      },
      swap32() {
        return swap(this, 4);
      },
      swap64() {
        return swap(this, 8);
      },
      inspect() {
        const shown = Array.from(this.subarray(0, MAX_SHOWN), (byte) => byte.toString(16).padStart(2, '0'));
        const rest = this.length - shown.length;
        const more = rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : '';
        return `<Buffer${shown.length > 0 ? ` ${shown.join(' ')}` : ''}${more}>`;
      },
    };
  };
});
