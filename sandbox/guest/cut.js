// Takes away what authors may not have: globals that are not on the list, code from text, memory that no limit counts.
(function cut(kit) {
  'use strict';
  const { globalThis, ObjectDefineProperty, ObjectGetPrototypeOf, ReflectOwnKeys, TypeError } = kit.p;
  const { RegExp, ArrayBuffer, ReflectConstruct, ReflectGetOwnPropertyDescriptor, Symbol } = kit.p;
  const { StringStartsWith } = kit.p;

  /** The global names that stay. All of them are pure: no clock finer than 1 ms, no thread, no code from text. */
  const ALLOWED = {
    __proto__: null,
    ...{ Object: 1, Function: 1, Array: 1, Number: 1, Boolean: 1, String: 1, Symbol: 1, BigInt: 1, Date: 1 },
    ...{ Promise: 1, RegExp: 1, JSON: 1, Math: 1, Intl: 1, Temporal: 1, Reflect: 1, Proxy: 1, Iterator: 1 },
    ...{ Map: 1, Set: 1, WeakMap: 1, WeakSet: 1, DisposableStack: 1, AsyncDisposableStack: 1 },
    ...{ Error: 1, AggregateError: 1, EvalError: 1, RangeError: 1, ReferenceError: 1, SuppressedError: 1 },
    ...{ SyntaxError: 1, TypeError: 1, URIError: 1, ArrayBuffer: 1, DataView: 1 },
    ...{ Uint8Array: 1, Int8Array: 1, Uint16Array: 1, Int16Array: 1, Uint32Array: 1, Int32Array: 1 },
    ...{ BigUint64Array: 1, BigInt64Array: 1, Uint8ClampedArray: 1, Float32Array: 1, Float64Array: 1 },
    ...{
      parseFloat: 1,
      parseInt: 1,
      isFinite: 1,
      isNaN: 1,
      Infinity: 1,
      NaN: 1,
      undefined: 1,
      globalThis: 1,
    },
    ...{ decodeURI: 1, decodeURIComponent: 1, encodeURI: 1, encodeURIComponent: 1, escape: 1, unescape: 1 },
  };

  for (const key of ReflectOwnKeys(globalThis)) {
    if (ALLOWED[key] !== 1) delete globalThis[key];
  }

  /** A constructor that stands where one that compiles text was. */
  const replaceConstructor = (sample, name) => {
    const prototype = ObjectGetPrototypeOf(sample);
    const rejectCall = function () {
      throw new TypeError('Code generation from strings is not allowed here');
    };
    ObjectDefineProperty(rejectCall, 'name', { value: name });
    ObjectDefineProperty(rejectCall, 'prototype', { value: prototype, writable: false });
    ObjectDefineProperty(prototype, 'constructor', {
      value: rejectCall,
      writable: false,
      configurable: false,
    });
    return rejectCall;
  };
  const refusing = replaceConstructor(() => {}, 'Function');
  ObjectDefineProperty(globalThis, 'Function', { value: refusing, writable: false, configurable: false });
  replaceConstructor(function* () {}, 'GeneratorFunction');
  replaceConstructor(async () => {}, 'AsyncFunction');
  replaceConstructor(async function* () {}, 'AsyncGeneratorFunction');

  // The memory of buffers that may be resized is counted by no limit, before it is resized either; a moved one could shrink while it is
  // being read. So no buffer is made with options. Whatever else makes buffers does not go by this constructor.
  const Buffers = {
    ArrayBuffer: function (length) {
      if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
      if (arguments.length > 1 && arguments[1] !== undefined) {
        throw new TypeError('An ArrayBuffer has a fixed size here: there are no options');
      }
      return ReflectConstruct(ArrayBuffer, [length], new.target);
    },
  };
  for (const key of ReflectOwnKeys(ArrayBuffer)) {
    if (key === 'length' || key === 'name') continue;
    ObjectDefineProperty(Buffers.ArrayBuffer, key, ReflectGetOwnPropertyDescriptor(ArrayBuffer, key));
  }
  ObjectDefineProperty(ArrayBuffer.prototype, 'constructor', { value: Buffers.ArrayBuffer });
  ObjectDefineProperty(globalThis, 'ArrayBuffer', { value: Buffers.ArrayBuffer });
  for (const name of ReflectOwnKeys(ArrayBuffer.prototype)) {
    const moves = typeof name === 'string' && (name === 'resize' || StringStartsWith(name, 'transfer'));
    if (moves) delete ArrayBuffer.prototype[name];
  }

  // `RegExp.$1` and its like remember the last match, whoever made it.
  const kept = { __proto__: null, length: 1, name: 1, prototype: 1, escape: 1, [Symbol.species]: 1 };
  for (const key of ReflectOwnKeys(RegExp)) {
    if (kept[key] !== 1) delete RegExp[key];
  }

  // Without promises nothing of a request runs after its handler has returned, so that many requests can share one entry.
  if (kit.options.synchronous) {
    delete globalThis.Promise;
    delete globalThis.AsyncDisposableStack;
    delete kit.p.Array.fromAsync;
  }

  // One generator for all requests would let one watch another; each request has a `Math` with its own (random.js).
  delete kit.p.Math.random;
});
