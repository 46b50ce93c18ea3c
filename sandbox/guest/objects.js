// How this folder makes objects that authors get: methods that cannot be seen through, no constructor to be had.
(function objects(kit) {
  'use strict';
  const { Error, ObjectDefineProperty, ObjectSetPrototypeOf, globalThis } = kit.p;
  const { isError } = Error;

  /** Adds or replaces an own property; no setter of a prototype sees it. */
  function put(object, key, value) {
    ObjectDefineProperty(object, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  /** A second name of a method. */
  function alias(prototype, name, method) {
    ObjectDefineProperty(prototype, name, {
      __proto__: null,
      value: method,
      writable: true,
      configurable: true,
    });
  }

  /** Roots of what authors reach by instances only; hardening walks them. */
  const hidden = [];

  /** A class whose instances authors get, but which they can neither name nor construct. */
  function facade(Class) {
    delete Class.prototype.constructor;
    ObjectSetPrototypeOf(Class.prototype, null);
    hidden[hidden.length] = Class.prototype;
  }

  /** A global name, as built-ins have theirs. */
  function expose(name, value) {
    alias(globalThis, name, value);
  }

  return { put, alias, facade, expose, hidden, isError };
});
