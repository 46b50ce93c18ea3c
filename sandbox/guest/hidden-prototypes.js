// Shared objects that no global name leads to: prototypes of iterators, generators and functions, accessors of errors.
// Each is reached through an example made here. What an engine does not have is left out.
(function hiddenPrototypes(kit) {
  'use strict';
  const { Error, Map, ObjectGetPrototypeOf, RegExp, Set, String } = kit.p;
  const { ReflectGetOwnPropertyDescriptor, ReflectOwnKeys, SymbolIterator, globalThis } = kit.p;

  /** Strict and sloppy `arguments`, whose `callee` has accessors. */
  const strictArguments = (function () {
    return arguments;
  })();

  function* generator() {
    yield 1;
  }
  async function* asyncGenerator() {
    yield 1;
  }

  const EXAMPLES = [
    () => [][SymbolIterator](),
    () => new Map()[SymbolIterator](),
    () => new Set()[SymbolIterator](),
    () => String('')[SymbolIterator](),
    () => RegExp('a', 'g')[globalThis.Symbol.matchAll](''),
    () => generator(),
    () => generator,
    () => asyncGenerator(),
    () => asyncGenerator,
    () => async () => {},
    () => async () => {},
    () => globalThis.Iterator.from({ __proto__: null, next() {} }),
    () => generator().map((value) => value),
    () => globalThis.Iterator.concat(generator()),
    () => globalThis.Iterator.zip([generator()]),
    () => globalThis.Iterator.zipKeyed({ a: generator() }),
    () => new globalThis.Intl.Segmenter('en').segment('a'),
    () => new globalThis.Intl.Segmenter('en').segment('a')[SymbolIterator](),
    () => strictArguments,
    () => new globalThis.URLSearchParams('a=b').entries(),
  ];

  /** Getters and setters of an example's own properties, and the prototypes above it. */
  function rootsOf(example) {
    const roots = [];
    const keys = ReflectOwnKeys(example);
    for (let index = 0; index < keys.length; index += 1) {
      const property = ReflectGetOwnPropertyDescriptor(example, keys[index]);
      if (property.get !== undefined) roots[roots.length] = property.get;
      if (property.set !== undefined) roots[roots.length] = property.set;
    }
    const prototype = ObjectGetPrototypeOf(example);
    if (prototype !== null) roots[roots.length] = prototype;
    return roots;
  }

  /** Errors have accessors of their own for `stack`; so has whatever `captureStackTrace` was called with. */
  function errors() {
    const captured = {};
    Error.captureStackTrace(captured);
    const found = [captured];
    const names = ['Error', 'TypeError', 'RangeError', 'AggregateError', 'SuppressedError'];
    for (let index = 0; index < names.length; index += 1) {
      const Class = globalThis[names[index]];
      if (Class !== undefined) found[found.length] = new Class([], '');
    }
    try {
      null.property;
    } catch (thrown) {
      found[found.length] = thrown;
    }
    return found;
  }

  return function collect() {
    const examples = errors();
    for (let index = 0; index < EXAMPLES.length; index += 1) {
      try {
        examples[examples.length] = EXAMPLES[index]();
      } catch {
        // This engine does not have it.
      }
    }
    const roots = [];
    for (let index = 0; index < examples.length; index += 1) {
      const found = rootsOf(examples[index]);
      for (let at = 0; at < found.length; at += 1) roots[roots.length] = found[at];
    }
    return roots;
  };
});
