// `structuredClone`: plain data, with cycles. Functions, symbols and facades of this sandbox cannot be cloned.
(function clones(kit) {
  'use strict';
  const { ArrayIsArray, ArrayBufferIsView, ArrayBufferSlice, BigIntValueOf, BooleanValueOf } = kit.p;
  const { DataView, Date, DateGetTime, Error, Map, MapForEach, MapGet, MapHas, MapSet, NumberValueOf } =
    kit.p;
  const { Object, ObjectDefineProperty, ObjectKeys, ObjectToString, RegExp, RegExpFlags, RegExpSource } =
    kit.p;
  const { Set, SetAdd, SetForEach, String, StringSlice, StringValueOf, TypedArrayTag, globalThis } = kit.p;
  const { TypedArrayBuffer, TypedArrayByteOffset, TypedArrayLength } = kit.p;
  const { DataViewBuffer, DataViewByteLength, DataViewByteOffset } = kit.p;

  const ERRORS = { __proto__: null };
  for (const name of ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']) {
    ERRORS[name] = globalThis[name];
  }
  const ARRAYS = { __proto__: null };
  for (const name of [
    ...['Uint8Array', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Float32Array'],
    ...['Float64Array', 'BigUint64Array', 'BigInt64Array', 'Uint8ClampedArray'],
  ]) {
    ARRAYS[name] = globalThis[name];
  }

  function dataCloneError(what) {
    const error = new Error(`${what} cannot be cloned`);
    ObjectDefineProperty(error, 'name', { __proto__: null, value: 'DataCloneError', configurable: true });
    return error;
  }

  function cloneError(value, seen) {
    const Class = ERRORS[String(value.name)] ?? Error;
    const copy = new Class(value.message === undefined ? '' : String(value.message));
    MapSet(seen, value, copy);
    const { stack } = value;
    if (typeof stack === 'string') kit.alias(copy, 'stack', stack);
    if (kit.p.ObjectHasOwn(value, 'cause')) kit.alias(copy, 'cause', clone(value.cause, seen));
    return copy;
  }

  function cloneView(value, seen) {
    const tag = TypedArrayTag(value);
    if (tag === undefined) {
      const buffer = clone(DataViewBuffer(value), seen);
      return new DataView(buffer, DataViewByteOffset(value), DataViewByteLength(value));
    }
    if (ARRAYS[tag] === undefined) throw dataCloneError(tag);
    const buffer = clone(TypedArrayBuffer(value), seen);
    return new ARRAYS[tag](buffer, TypedArrayByteOffset(value), TypedArrayLength(value));
  }

  /** By the tag of `Object.prototype.toString`. A lying tag ends in a TypeError of the built-in. */
  const BUILT_IN = {
    __proto__: null,
    '[object Boolean]': (value) => Object(BooleanValueOf(value)),
    '[object Number]': (value) => Object(NumberValueOf(value)),
    '[object String]': (value) => Object(StringValueOf(value)),
    '[object BigInt]': (value) => Object(BigIntValueOf(value)),
    '[object Date]': (value) => new Date(DateGetTime(value)),
    '[object RegExp]': (value) => new RegExp(RegExpSource(value), RegExpFlags(value)),
    '[object ArrayBuffer]': (value) => ArrayBufferSlice(value, 0),
    '[object Map]'(value, seen) {
      const copy = new Map();
      MapSet(seen, value, copy);
      const pairs = [];
      MapForEach(value, (item, key) => kit.put(pairs, pairs.length, [key, item]));
      for (let index = 0; index < pairs.length; index += 1) {
        MapSet(copy, clone(pairs[index][0], seen), clone(pairs[index][1], seen));
      }
      return copy;
    },
    '[object Set]'(value, seen) {
      const copy = new Set();
      MapSet(seen, value, copy);
      const items = [];
      SetForEach(value, (item) => kit.put(items, items.length, item));
      for (let index = 0; index < items.length; index += 1) SetAdd(copy, clone(items[index], seen));
      return copy;
    },
  };

  function cloneMembers(value, seen) {
    const copy = ArrayIsArray(value) ? [] : {};
    MapSet(seen, value, copy);
    if (ArrayIsArray(value)) copy.length = value.length;
    const keys = ObjectKeys(value);
    for (let index = 0; index < keys.length; index += 1) {
      kit.put(copy, keys[index], clone(value[keys[index]], seen));
    }
    return copy;
  }

  function clone(value, seen) {
    if (typeof value === 'function' || typeof value === 'symbol') throw dataCloneError(`A ${typeof value}`);
    if (typeof value !== 'object' || value === null) return value;
    if (MapHas(seen, value)) return MapGet(seen, value);
    if (kit.isError(value)) return cloneError(value, seen);
    const tag = ArrayIsArray(value) ? '[object Array]' : ObjectToString(value);
    if (!ArrayBufferIsView(value) && BUILT_IN[tag] === undefined) {
      const plain = tag === '[object Object]' || tag === '[object Array]' || tag === '[object Arguments]';
      if (!plain) throw dataCloneError(StringSlice(tag, 8, 40));
      return cloneMembers(value, seen);
    }
    const copy = ArrayBufferIsView(value) ? cloneView(value, seen) : BUILT_IN[tag](value, seen);
    MapSet(seen, value, copy);
    return copy;
  }

  kit.expose('structuredClone', function structuredClone(value, options) {
    if (options !== undefined && options !== null && options.transfer !== undefined) {
      throw dataCloneError('A list of things to transfer');
    }
    return clone(value, new Map());
  });
});
