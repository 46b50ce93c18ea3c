// The hardened realm: everything that two requests could both reach is frozen, so that neither finds a trace of the other.
// First each writable property of a prototype becomes an accessor, so that an object that inherits it can still be given
// a property of that name (`this.name = …` in a subclass of Error); then all of it is frozen, the accessors as well.
(function harden(kit) {
  'use strict';
  const { Array, ObjectDefineProperty, ObjectFreeze, ObjectGetPrototypeOf, ObjectHasOwn, Set } = kit.p;
  const { ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, SymbolIterator, TypeError, globalThis } = kit.p;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /** Everything reachable from the roots (values, getters, setters, prototypes), and what of it is a prototype. */
  function reach(roots) {
    const found = new Set();
    const prototypes = new Set(roots);
    const queue = [];
    const add = (object) => {
      if (found.has(object)) return;
      found.add(object);
      queue.push(object);
    };
    const addProperty = (key, { value, get, set }) => {
      if (get !== undefined) add(get);
      if (set !== undefined) add(set);
      if (!isObject(value)) return;
      add(value);
      if (key === 'prototype') prototypes.add(value);
    };
    roots.forEach(add);
    for (let index = 0; index < queue.length; index += 1) {
      const object = queue[index];
      const prototype = ObjectGetPrototypeOf(object);
      if (prototype !== null) add(prototype);
      if (prototype !== null && typeof prototype !== 'function') prototypes.add(prototype);
      for (const key of ReflectOwnKeys(object)) {
        // Length and name are a number and a text: most of all properties, and nothing behind them.
        if (typeof object === 'function' && (key === 'length' || key === 'name')) continue;
        addProperty(key, ReflectGetOwnPropertyDescriptor(object, key));
      }
    }
    return { found, prototypes };
  }

  /** These two stay frozen data: without them the engine leaves its fast paths for arrays. */
  const staysData = (prototype, key) =>
    prototype === Array.prototype && (key === 'constructor' || key === SymbolIterator);

  function makeOverridable(prototype, key, { value, enumerable }) {
    const { get, set } = {
      get: () => value,
      set(assigned) {
        if (this === prototype || !isObject(this)) {
          throw new TypeError('This object is shared by all requests and cannot be changed');
        }
        if (ObjectHasOwn(this, key)) this[key] = assigned;
        else kit.put(this, key, assigned);
      },
    };
    // From here on the value is out of reach of a walk, but it has been found by the one before.
    ObjectDefineProperty(prototype, key, { __proto__: null, get, set, enumerable, configurable: false });
    ObjectFreeze(get);
    ObjectFreeze(set);
  }

  function makeAllOverridable(prototype) {
    for (const key of ReflectOwnKeys(prototype)) {
      const property = ReflectGetOwnPropertyDescriptor(prototype, key);
      if (property.writable !== true || !property.configurable || staysData(prototype, key)) continue;
      makeOverridable(prototype, key, property);
    }
  }

  // No code of an author has run yet: loops and methods are still what they should be.
  const { found, prototypes } = reach([...kit.hiddenPrototypes(), ...kit.hidden, globalThis]);
  for (const prototype of prototypes) {
    if (prototype !== globalThis) makeAllOverridable(prototype);
  }
  for (const object of found) ObjectFreeze(object);
});
