// The hardened realm: everything that two requests could both reach is frozen, so that neither finds a trace of the other.
// First each writable property of a prototype becomes an accessor, so that an object that inherits it can still be given
// a property of that name (`this.name = …` in a subclass of Error); then all of it is frozen, the accessors as well.
(function harden(kit) {
  'use strict';
  const { Array, Object, ObjectDefineProperty, ObjectFreeze, ObjectGetPrototypeOf, ObjectHasOwn } = kit.p;
  const { ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, Set, SetAdd, SetForEach, SetHas } = kit.p;
  const { SymbolIterator, TypeError, globalThis } = kit.p;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /** Everything reachable from the roots: values, getters, setters, prototypes. */
  function reach(roots) {
    const found = new Set();
    const prototypes = new Set();
    const queue = [];
    const add = (value) => {
      if (!isObject(value) || SetHas(found, value)) return;
      SetAdd(found, value);
      queue[queue.length] = value;
    };
    for (let index = 0; index < roots.length; index += 1) {
      add(roots[index]);
      SetAdd(prototypes, roots[index]);
    }
    while (queue.length > 0) {
      const object = queue[queue.length - 1];
      queue.length -= 1;
      const prototype = ObjectGetPrototypeOf(object);
      if (prototype !== null && typeof prototype !== 'function') SetAdd(prototypes, prototype);
      add(prototype);
      const keys = ReflectOwnKeys(object);
      for (let index = 0; index < keys.length; index += 1) {
        const property = ReflectGetOwnPropertyDescriptor(object, keys[index]);
        if (ObjectHasOwn(property, 'value')) {
          if (keys[index] === 'prototype' && isObject(property.value)) SetAdd(prototypes, property.value);
          add(property.value);
        } else {
          add(property.get);
          add(property.set);
        }
      }
    }
    return { found, prototypes };
  }

  /** These two stay frozen data: without them the engine leaves its fast paths for arrays. */
  const staysData = (prototype, key) =>
    prototype === Array.prototype && (key === 'constructor' || key === SymbolIterator);

  function makeOverridable(prototype, key, property) {
    const { value, enumerable } = property;
    ObjectDefineProperty(prototype, key, {
      __proto__: null,
      get() {
        return value;
      },
      set(assigned) {
        if (this === prototype || !isObject(this)) {
          throw new TypeError('This object is shared by all requests and cannot be changed');
        }
        if (ObjectHasOwn(this, key)) this[key] = assigned;
        else kit.put(this, key, assigned);
      },
      enumerable,
      configurable: false,
    });
  }

  function makeAllOverridable(prototype) {
    const keys = ReflectOwnKeys(prototype);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      const property = ReflectGetOwnPropertyDescriptor(prototype, key);
      if (property.writable !== true || !property.configurable || staysData(prototype, key)) continue;
      makeOverridable(prototype, key, property);
    }
  }

  const roots = kit.hiddenPrototypes();
  for (let index = 0; index < kit.hidden.length; index += 1) roots[roots.length] = kit.hidden[index];
  roots[roots.length] = globalThis;

  // The values move into accessors, out of reach of a second walk; the accessors are only reached by that one.
  const { found, prototypes } = reach(roots);
  SetForEach(prototypes, (prototype) => {
    if (prototype !== globalThis && prototype !== Object) makeAllOverridable(prototype);
  });
  const freeze = (object) => ObjectFreeze(object);
  SetForEach(found, freeze);
  SetForEach(reach(roots).found, freeze);
});
