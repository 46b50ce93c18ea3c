// The errors that Node's modules throw about their arguments, with Node's codes. Not to be required by authors.
(function errors(module) {
  'use strict';

  function withCode(error, code) {
    Object.defineProperty(error, 'code', {
      value: code,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    return error;
  }

  function kindOf(value) {
    if (value === null || value === undefined) return String(value);
    if (typeof value === 'function') return `function ${value.name}`;
    if (typeof value === 'object') {
      const name = typeof value.constructor === 'function' ? value.constructor.name : '';
      return name === '' ? 'an object' : `an instance of ${name}`;
    }
    return `type ${typeof value} (${String(value).slice(0, 28)})`;
  }

  /** An argument of the wrong type. `expected`: `of type string`, `an instance of Buffer`. */
  function wrongType(name, expected, value) {
    const message = `The "${name}" argument must be ${expected}. Received ${kindOf(value)}`;
    return withCode(new TypeError(message), 'ERR_INVALID_ARG_TYPE');
  }

  function wrongValue(name, value, reason) {
    const message = `The argument '${name}' ${reason}. Received ${String(value).slice(0, 128)}`;
    return withCode(new TypeError(message), 'ERR_INVALID_ARG_VALUE');
  }

  function outOfRange(name, range, value) {
    const message = `The value of "${name}" is out of range. It must be ${range}. Received ${String(value)}`;
    return withCode(new RangeError(message), 'ERR_OUT_OF_RANGE');
  }

  function requireText(value, name) {
    if (typeof value !== 'string') throw wrongType(name, 'of type string', value);
  }

  function requireFunction(value, name) {
    if (typeof value !== 'function') throw wrongType(name, 'of type function', value);
  }

  module.exports = { withCode, wrongType, wrongValue, outOfRange, requireText, requireFunction };
});
