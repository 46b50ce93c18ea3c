// The methods with which a `Buffer` reads and writes numbers. Not to be required by authors.
(function bufferNumbers(module, _exports, require) {
  'use strict';
  const { outOfRange, wrongType } = require('./errors');
  const MAX_LONG_BYTES = 6;

  function requireOffset(offset, bytes, size) {
    if (typeof offset !== 'number') throw wrongType('offset', 'of type number', offset);
    const isInside = Number.isInteger(offset) && offset >= 0 && offset + size <= bytes.length;
    if (!isInside) throw outOfRange('offset', `an integer >= 0 and <= ${bytes.length - size}`, offset);
  }

  function requireBetween(value, min, max) {
    if (value < min || value > max) throw outOfRange('value', `>= ${min} and <= ${max}`, value);
  }

  const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  /** Bounds of whole numbers of so many bytes. */
  function boundsOf(size, isSigned) {
    const half = 2 ** (size * 8 - 1);
    return isSigned ? [-half, half - 1] : [0, half * 2 - 1];
  }

  function boundsOfBig(isSigned) {
    return isSigned ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  }

  /** `readInt16LE` and its kind, by a method of DataView. */
  function fixed(methods, { name, view, size, bounds }) {
    for (const ending of size === 1 ? [''] : ['LE', 'BE']) {
      methods[`read${name}${ending}`] = function (offset = 0) {
        requireOffset(offset, this, size);
        return viewOf(this)[`get${view}`](offset, ending === 'LE');
      };
      methods[`write${name}${ending}`] = function (value, offset = 0) {
        if (bounds !== undefined) requireBetween(value, ...bounds);
        requireOffset(offset, this, size);
        viewOf(this)[`set${view}`](offset, value, ending === 'LE');
        return offset + size;
      };
    }
  }

  function requireSize(size) {
    if (typeof size !== 'number') throw wrongType('byteLength', 'of type number', size);
    if (!(size >= 1 && size <= MAX_LONG_BYTES)) throw outOfRange('byteLength', '>= 1 and <= 6', size);
  }

  /** `readUIntLE` and its kind: one to six bytes. */
  function long(methods, name, isSigned) {
    for (const ending of ['LE', 'BE']) {
      const placeOf = (index, size) => (ending === 'LE' ? index : size - 1 - index);
      methods[`read${name}${ending}`] = function (offset, size) {
        requireSize(size);
        requireOffset(offset, this, size);
        let value = 0;
        for (let index = 0; index < size; index += 1)
          value += this[offset + placeOf(index, size)] * 256 ** index;
        return isSigned && value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
      };
      methods[`write${name}${ending}`] = function (value, offset, size) {
        requireSize(size);
        requireBetween(value, ...boundsOf(size, isSigned));
        requireOffset(offset, this, size);
        let rest = Math.trunc(value < 0 ? value + 2 ** (size * 8) : +value);
        for (let index = 0; index < size; index += 1) {
          this[offset + placeOf(index, size)] = rest % 256;
          rest = Math.floor(rest / 256);
        }
        return offset + size;
      };
    }
  }

  const methods = {};
  for (const bits of [8, 16, 32]) {
    const size = bits / 8;
    fixed(methods, { name: `Int${bits}`, view: `Int${bits}`, size, bounds: boundsOf(size, true) });
    fixed(methods, { name: `UInt${bits}`, view: `Uint${bits}`, size, bounds: boundsOf(size, false) });
  }
  fixed(methods, { name: 'BigInt64', view: 'BigInt64', size: 8, bounds: boundsOfBig(true) });
  fixed(methods, { name: 'BigUInt64', view: 'BigUint64', size: 8, bounds: boundsOfBig(false) });
  fixed(methods, { name: 'Float', view: 'Float32', size: 4 });
  fixed(methods, { name: 'Double', view: 'Float64', size: 8 });
  long(methods, 'Int', true);
  long(methods, 'UInt', false);
  for (const [name, method] of Object.entries(methods)) methods[name.replace('UInt', 'Uint')] = method;
  module.exports = methods;
});
