// Whether two values are equal through and through, for `util` and `assert`. Not to be required by authors.
(function equality(module) {
  'use strict';

  const isObject = (value) => typeof value === 'object' && value !== null;
  const tagOf = (value) => Object.prototype.toString.call(value);
  const sameLoose = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));

  /** Own names and symbols that can be enumerated; loosely, names only. */
  function keysOf(value, isStrict) {
    const symbols = isStrict ? Object.getOwnPropertySymbols(value) : [];
    return [
      ...Object.keys(value),
      ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
    ];
  }

  /** What is equal of two objects of one kind beside their properties. */
  function sameInner(a, b, same) {
    if (a instanceof Date) return Object.is(a.getTime(), b.getTime());
    if (a instanceof RegExp)
      return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    if (a instanceof Error) return a.message === b.message && a.name === b.name;
    if (a instanceof Number || a instanceof String || a instanceof Boolean)
      return Object.is(a.valueOf(), b.valueOf());
    if (a instanceof BigInt || a instanceof Symbol) return a.valueOf() === b.valueOf();
    if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b));
    if (a instanceof Set) return a.size === b.size && sameMembers([...a], [...b], same);
    if (a instanceof Map) return a.size === b.size && sameMembers([...a], [...b], same);
    return !(a instanceof WeakMap || a instanceof WeakSet || a instanceof Promise);
  }

  /** Each member of one list has one of its own in the other. */
  function sameMembers(members, others, same) {
    const left = [...others];
    return members.every((member) => {
      const at = left.findIndex((other) => same(member, other));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    });
  }

  module.exports = function isDeepEqual(first, second, isStrict) {
    /** Pairs that are being compared: a cycle is equal to one of the same form. */
    const open = [];

    function sameObjects(a, b) {
      if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
      if (tagOf(a) !== tagOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
      if (Array.isArray(a) && a.length !== b.length) return false;
      if (!sameInner(a, b, same)) return false;
      const keys = keysOf(a, isStrict);
      if (keys.length !== keysOf(b, isStrict).length) return false;
      return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && same(a[key], b[key]));
    }

    function same(a, b) {
      if (isStrict ? Object.is(a, b) : sameLoose(a, b)) return true;
      // biome-ignore lint/suspicious/noDoubleEquals: it is what the older comparison does.
      if (!isObject(a) || !isObject(b)) return !isStrict && !isObject(a) && !isObject(b) && a == b;
      if (open.some(([left, right]) => left === a && right === b)) return true;
      open.push([a, b]);
      const answer = sameObjects(a, b);
      open.pop();
      return answer;
    }

    return same(first, second);
  };
});
