// `require`: the package that older modules name, and the modules of Node that are pure JavaScript, made anew for each request.
(function requires(kit) {
  'use strict';
  const { Error, JSONParse, ObjectHasOwn, ReflectApply, String, StringSlice, StringStartsWith } = kit.p;
  const { StringIndexOf } = kit.p;
  const NO_CONFIG = '{}';
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

  const isObject = (value) => typeof value === 'object' && value !== null;

  /** The value of `email.from`: a member of that name, or one within another. */
  function valueOf(values, name) {
    if (ObjectHasOwn(values, name)) return values[name];
    const dot = StringIndexOf(name, '.');
    const first = dot === -1 ? undefined : StringSlice(name, 0, dot);
    if (first === undefined || !ObjectHasOwn(values, first) || !isObject(values[first])) return undefined;
    return valueOf(values[first], StringSlice(name, dot + 1));
  }

  /** `Config`: the values that the policy has. `text` is JSON, empty while code is only inspected. */
  function createConfig(text) {
    const get = (name) => {
      if (text === '') return undefined;
      const value = valueOf(JSONParse(text), String(name));
      if (value === undefined) {
        const shown = StringSlice(String(name), 0, MAX_NAME_CHARACTERS);
        throw new Error(`\`${shown}\` is not among \`grants.config\` of the policy of this module`);
      }
      return value;
    };
    return { get };
  }

  /** What the package has that older modules name. */
  function packageOf(model) {
    const { config } = kit.options;
    if (model === undefined && config === NO_CONFIG) {
      throw missing('@dadi/api', 'no collection is granted to this module');
    }
    return { Model: model, Config: createConfig(config) };
  }

  /** Names of the packages that hash passwords: what they do is a guest call. */
  const BCRYPT = { __proto__: null, bcrypt: 1, bcryptjs: 1, 'bcrypt-as-promised': 1 };

  /** `model`, `bcrypt`: undefined where it is not granted. */
  return function createRequire(model, bcrypt) {
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
      if (text === '@dadi/api') return packageOf(model);
      if (BCRYPT[text] === 1) {
        if (bcrypt !== undefined) return bcrypt(text);
        throw missing(text, 'the policy of this module grants no `bcrypt`');
      }
      const bare = StringStartsWith(text, 'node:') ? StringSlice(text, 5) : text;
      if (isRequirable(bare)) return load(bare);
      throw missing(StringSlice(text, 0, MAX_NAME_CHARACTERS), load('./absent')(text));
    };
  };
});
