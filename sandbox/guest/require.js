// `require`: the package that older modules name, and the modules of Node that are pure JavaScript, made anew for each request.
(function requires(kit) {
  'use strict';
  const { Error, ReflectApply, String, StringSlice, StringStartsWith } = kit.p;
  const { put } = kit;
  const MAX_NAME_CHARACTERS = 100;

  function missing(name, reason) {
    const error = new Error(`Cannot find module '${name}': ${reason}`);
    put(error, 'code', 'MODULE_NOT_FOUND');
    return error;
  }

  function isRequirable(name) {
    const { requirable } = kit.modules;
    for (let index = 0; index < requirable.length; index += 1) if (requirable[index] === name) return true;
    return false;
  }

  /** `model`: undefined where no collection is granted. */
  return function createRequire(model) {
    /** Modules that this request has, by name; `loaded` once they are whole. */
    const cache = { __proto__: null };

    /** For the modules themselves, which name parts of theirs too. They hold no authority: what fails in here is the author's. */
    function load(name) {
      if (cache[name] !== undefined) return cache[name].exports;
      const module = { exports: {} };
      cache[name] = module;
      try {
        ReflectApply(kit.modules.factories[name], module.exports, [module, module.exports, load]);
      } catch (error) {
        cache[name] = undefined;
        throw error;
      }
      return module.exports;
    }

    return function require(name) {
      const text = String(name);
      if (text === '@dadi/api') {
        if (model !== undefined) return { Model: model };
        throw missing(text, 'no collection is granted to this module');
      }
      const bare = StringStartsWith(text, 'node:') ? StringSlice(text, 5) : text;
      if (isRequirable(bare)) return load(bare);
      throw missing(StringSlice(text, 0, MAX_NAME_CHARACTERS), load('absent')(text));
    };
  };
});
