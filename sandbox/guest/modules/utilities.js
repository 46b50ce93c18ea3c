// `util`: what code of servers uses of it. Nothing of it knows the process.
(function util(module, _exports, require) {
  'use strict';
  const { requireFunction, wrongType } = require('./errors');
  const createInspect = require('./inspect');
  const isDeepEqual = require('./equality');
  const { Buffer } = require('buffer');
  const promisified = Symbol.for('nodejs.util.promisify.custom');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with the escape character.
  const CONTROL = /\u001b\[[0-9;]*[A-Za-z]/g;

  function inspect(value, options, depth, ...older) {
    const isOld = typeof options === 'boolean' || depth !== undefined || older.length > 0;
    const given = isOld
      ? { showHidden: options === true, ...(depth === undefined ? {} : { depth }) }
      : options;
    return createInspect(given ?? {})(value);
  }
  Object.assign(inspect, {
    custom: Symbol.for('nodejs.util.inspect.custom'),
    defaultOptions: {},
    styles: {},
    colors: {},
  });

  function numberOf(value) {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return 'NaN';
    return Object.is(Number(value), -0) ? '-0' : String(Number(value));
  }

  function integerOf(value) {
    if (typeof value === 'bigint') return `${value}n`;
    return typeof value === 'symbol' ? 'NaN' : String(Number.parseInt(value, 10));
  }

  function jsonOf(value) {
    try {
      return JSON.stringify(value);
    } catch (error) {
      if (error instanceof TypeError && /circular/i.test(error.message)) return '[Circular]';
      throw error;
    }
  }

  /** Boxes of primitive values and what has no text of its own are shown as `inspect` shows them. */
  const INSPECTED = [Array, Date, Number, String, Boolean, BigInt, Symbol];
  const isInspected = (value) =>
    typeof value.toString !== 'function' ||
    value.toString === Object.prototype.toString ||
    value.toString === Error.prototype.toString ||
    INSPECTED.some((Class) => value instanceof Class);

  function textOf(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return numberOf(value);
    if (typeof value === 'function') return String(value);
    if (typeof value === 'object' && value !== null && !isInspected(value)) return String(value);
    return inspect(value, { depth: 0, compact: 3 });
  }

  const DIRECTIVES = {
    s: textOf,
    d: numberOf,
    i: integerOf,
    f: (value) => (typeof value === 'symbol' ? 'NaN' : String(Number.parseFloat(value))),
    j: jsonOf,
    o: (value) => inspect(value, { showHidden: true, depth: 4 }),
    O: (value) => inspect(value),
    c: () => '',
  };

  function format(...values) {
    const rest = [...values];
    let text = '';
    if (typeof rest[0] === 'string') {
      text = rest.shift();
      if (rest.length > 0) {
        text = text.replace(/%[sdifjoOc%]/g, (found) => {
          if (found === '%%') return '%';
          return rest.length === 0 ? found : DIRECTIVES[found[1]](rest.shift());
        });
      }
    }
    const more = rest.map((value) => (typeof value === 'string' ? value : inspect(value)));
    return [...(typeof values[0] === 'string' ? [text] : []), ...more].join(' ');
  }

  function inherits(made, parent) {
    requireFunction(made, 'ctor');
    requireFunction(parent, 'superCtor');
    if (parent.prototype === undefined)
      throw wrongType('superCtor.prototype', 'of type object', parent.prototype);
    Object.defineProperty(made, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(made.prototype, parent.prototype);
  }

  function promisify(original) {
    requireFunction(original, 'original');
    if (typeof original[promisified] === 'function') return original[promisified];
    const wrapped = function (...values) {
      return new Promise((resolve, reject) => {
        const settle = (error, value) => (error ? reject(error) : resolve(value));
        Reflect.apply(original, this, [...values, settle]);
      });
    };
    Object.setPrototypeOf(wrapped, Object.getPrototypeOf(original));
    return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
  }
  promisify.custom = promisified;

  function callbackify(original) {
    requireFunction(original, 'original');
    return function (...values) {
      const callback = values.pop();
      requireFunction(callback, 'last argument');
      const failed = (reason) =>
        callback(reason || Object.assign(new Error('Promise was rejected with falsy value'), { reason }));
      Promise.resolve(Reflect.apply(original, this, values)).then((value) => callback(null, value), failed);
    };
  }

  /** Its warning would go nowhere. */
  function deprecate(original) {
    requireFunction(original, 'fn');
    return original;
  }

  const isKind = (Class) => (value) => Object.prototype.toString.call(value) === `[object ${Class}]`;
  const types = {
    isDate: isKind('Date'),
    isRegExp: isKind('RegExp'),
    isMap: isKind('Map'),
    isSet: isKind('Set'),
  };
  Object.assign(types, {
    ...{
      isPromise: isKind('Promise'),
      isNativeError: (value) => Error.isError(value),
      isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    },
    ...{
      isUint8Array: (value) => value instanceof Uint8Array,
      isArrayBuffer: isKind('ArrayBuffer'),
      isAnyArrayBuffer: isKind('ArrayBuffer'),
    },
    ...{
      isWeakMap: isKind('WeakMap'),
      isWeakSet: isKind('WeakSet'),
      isSymbolObject: (value) => value instanceof Symbol,
    },
    ...{
      isAsyncFunction: isKind('AsyncFunction'),
      isGeneratorFunction: isKind('GeneratorFunction'),
      isDataView: isKind('DataView'),
    },
    ...{
      isNumberObject: (value) => value instanceof Number,
      isStringObject: (value) => value instanceof String,
      isBooleanObject: (value) => value instanceof Boolean,
    },
  });

  const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');
  const older = {
    ...{
      isArray: Array.isArray,
      isBoolean: (value) => typeof value === 'boolean',
      isNull: (value) => value === null,
    },
    ...{
      isNullOrUndefined: (value) => value === null || value === undefined,
      isNumber: (value) => typeof value === 'number',
    },
    ...{
      isString: (value) => typeof value === 'string',
      isSymbol: (value) => typeof value === 'symbol',
      isUndefined: (value) => value === undefined,
    },
    ...{
      isRegExp: types.isRegExp,
      isObject: (value) => typeof value === 'object' && value !== null,
      isDate: types.isDate,
    },
    ...{
      isError: (value) => Error.isError(value) || value instanceof Error,
      isFunction: (value) => typeof value === 'function',
      isPrimitive,
      isBuffer: Buffer.isBuffer,
    },
    _extend: (target, source) =>
      typeof source === 'object' && source !== null ? Object.assign(target, source) : target,
  };

  const silent = () => Object.assign(() => undefined, { enabled: false });
  module.exports = {
    ...{ ...older, inspect, format, inherits, promisify, callbackify, deprecate, types },
    ...{
      debuglog: silent,
      debug: silent,
      isDeepStrictEqual: (first, second) => isDeepEqual(first, second, true),
    },
    formatWithOptions: (_options, ...values) => format(...values),
    stripVTControlCharacters: (text) => String(text).replace(CONTROL, ''),
    toUSVString: (text) => String(text).toWellFormed(),
    ...{ TextEncoder, TextDecoder },
  };
});
