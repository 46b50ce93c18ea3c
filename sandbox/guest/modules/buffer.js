// `buffer`: `Buffer`, bytes in memory of the isolate, each filled with zeros first.
(function buffers(module, _exports, require) {
  'use strict';
  const { outOfRange, withCode, wrongType } = require('./errors');
  const encodingOf = require('./encodings');
  const BYTES = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';

  class Bytes extends Uint8Array {}

  /** Of the older kind, which is also called without `new`, and by the language's own methods to make copies. */
  function Buffer(value, encodingOrOffset, length) {
    return typeof value === 'number' ? Buffer.alloc(value) : Buffer.from(value, encodingOrOffset, length);
  }
  Object.setPrototypeOf(Buffer, Uint8Array);
  Buffer.prototype = Bytes.prototype;
  Object.defineProperty(Bytes.prototype, 'constructor', {
    value: Buffer,
    writable: true,
    configurable: true,
  });

  function coderOf(encoding) {
    const coder = encodingOf(
      encoding === undefined || encoding === null || encoding === '' ? 'utf8' : `${encoding}`,
    );
    if (coder === undefined)
      throw withCode(new TypeError(`Unknown encoding: ${encoding}`), 'ERR_UNKNOWN_ENCODING');
    return coder;
  }

  const isBytes = (value) => value instanceof Uint8Array;
  const over = (bytes) => new Bytes(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  function requireBytes(value, name) {
    if (!isBytes(value)) throw wrongType(name, 'an instance of Buffer or Uint8Array', value);
  }

  function requireSize(size) {
    if (typeof size !== 'number') throw wrongType('size', 'of type number', size);
    if (!(size >= 0 && size <= Number.MAX_SAFE_INTEGER))
      throw outOfRange('size', '>= 0 && <= 9007199254740991', size);
  }

  function overMemory(memory, offset, length) {
    if (+offset > memory.byteLength) {
      throw withCode(new RangeError('"offset" is outside of buffer bounds'), 'ERR_BUFFER_OUT_OF_BOUNDS');
    }
    if (+offset + +length > memory.byteLength) {
      throw withCode(new RangeError('"length" is outside of buffer bounds'), 'ERR_BUFFER_OUT_OF_BOUNDS');
    }
    return new Bytes(memory, offset, length);
  }

  function fromObject(value, encodingOrOffset, length) {
    if (value instanceof ArrayBuffer) return overMemory(value, encodingOrOffset, length);
    const plain = value.valueOf?.();
    const isOther =
      plain !== value && (typeof plain === 'string' || (typeof plain === 'object' && plain !== null));
    if (isOther) return Buffer.from(plain, encodingOrOffset, length);
    if (value.type === 'Buffer' && Array.isArray(value.data)) return Bytes.from(value.data);
    if (typeof value.length === 'number' || Array.isArray(value)) return Bytes.from(value);
    if (typeof value[Symbol.toPrimitive] === 'function') {
      return Buffer.from(value[Symbol.toPrimitive]('string'), encodingOrOffset);
    }
    if (value.length !== undefined) return new Bytes(0);
    throw wrongType('first argument', BYTES, value);
  }

  function fillOf(value, encoding) {
    if (typeof value === 'string') return coderOf(encoding).encode(value);
    return isBytes(value) ? value : Uint8Array.of(value);
  }

  /** Not by assignment: what is inherited of the same name cannot be changed. */
  function define(target, members) {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(target, name, { value, writable: true, configurable: true });
    }
  }

  define(Buffer, {
    poolSize: 8192,
    from(value, encodingOrOffset, length) {
      if (typeof value === 'string') return over(coderOf(encodingOrOffset).encode(value));
      if (typeof value !== 'object' || value === null) throw wrongType('first argument', BYTES, value);
      return fromObject(value, encodingOrOffset, length);
    },
    alloc(size, fill, encoding) {
      requireSize(size);
      const bytes = new Bytes(Math.trunc(size));
      return fill === undefined || size === 0 ? bytes : bytes.fill(fill, encoding);
    },
    allocUnsafe: (size) => Buffer.alloc(size),
    allocUnsafeSlow: (size) => Buffer.alloc(size),
    of: (...items) => Bytes.from(items),
    isBuffer: (value) => value instanceof Buffer,
    isEncoding: (name) => typeof name === 'string' && name !== '' && encodingOf(name) !== undefined,
    byteLength(value, encoding) {
      if (typeof value === 'string') return (encodingOf(encoding) ?? encodingOf('utf8')).encode(value).length;
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
      throw wrongType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
    },
    compare(first, second) {
      requireBytes(first, 'buf1');
      requireBytes(second, 'buf2');
      const shared = Math.min(first.length, second.length);
      for (let index = 0; index < shared; index += 1) {
        if (first[index] !== second[index]) return first[index] < second[index] ? -1 : 1;
      }
      return Math.sign(first.length - second.length);
    },
    concat(list, total) {
      if (!Array.isArray(list)) throw wrongType('list', 'an instance of Array', list);
      for (const [index, each] of list.entries()) requireBytes(each, `list[${index}]`);
      const length = total ?? list.reduce((sum, each) => sum + each.length, 0);
      const bytes = Buffer.alloc(length);
      let at = 0;
      for (const each of list) {
        if (at >= length) break;
        bytes.set(each.length > length - at ? each.subarray(0, length - at) : each, at);
        at += each.length;
      }
      return bytes;
    },
  });

  const methods = require('./buffer-methods')({ Buffer, coderOf, encodingOf, fillOf, over, requireBytes });
  define(Bytes.prototype, { ...require('./buffer-numbers'), ...methods });
  const shown = { value: methods.inspect, writable: true, configurable: true };
  Object.defineProperty(Bytes.prototype, Symbol.for('nodejs.util.inspect.custom'), shown);
  for (const [name, member] of [
    ['parent', 'buffer'],
    ['offset', 'byteOffset'],
  ]) {
    Object.defineProperty(Bytes.prototype, name, {
      get() {
        return this instanceof Buffer ? this[member] : undefined;
      },
      configurable: true,
    });
  }

  const constants = { MAX_LENGTH: Number.MAX_SAFE_INTEGER, MAX_STRING_LENGTH: 536_870_888 };
  module.exports = {
    ...{
      Buffer,
      SlowBuffer: Buffer,
      constants,
      kMaxLength: constants.MAX_LENGTH,
      INSPECT_MAX_BYTES: 50,
      atob,
      btoa,
    },
    kStringMaxLength: constants.MAX_STRING_LENGTH,
  };
});
