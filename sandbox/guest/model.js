// `Model(name)`: the collections that are granted, as guest calls named `model.find`, `model.create` and so on. The server
// checks the grant, the query and the caller's permissions; nothing is decided here.
(function models(kit) {
  'use strict';
  const { JSONParse, JSONStringify, Promise, RangeError, String, TypeError } = kit.p;
  const { failureOf, callServer, finite } = kit.requests;
  const MAX_ARGUMENT_CHARACTERS = 1_048_576;

  /** `,"name":…`, or nothing where there is no value. */
  function member(name, value, replacer) {
    const text = value === undefined || value === null ? undefined : JSONStringify(value, replacer);
    return text === undefined ? '' : `,"${name}":${text}`;
  }

  /** Queries, and options, whose `historyFilters` are one. */
  const conditions = (name, value) => member(name, value, finite);

  /** The callback among the arguments from `first` on: older code passes it after options, before the request. */
  function callbackOf(list, first) {
    for (let index = first; index < list.length; index += 1) {
      if (typeof list[index] === 'function') return list[index];
    }
    return undefined;
  }

  const unlessFunction = (value) => (typeof value === 'function' ? undefined : value);

  /** `all` (a query without a condition means every document) and `compose`; what older code passes beside them has no effect. */
  function writeOptions(options) {
    if (typeof options !== 'object' || options === null) return '';
    const { all, compose } = options;
    return all === undefined && compose === undefined ? '' : member('options', { all, compose });
  }

  class Model {
    #request;
    #collection;

    constructor(request, name) {
      this.#request = request;
      this.#collection = JSONStringify(name);
    }

    /** With a callback `(error, result)`, or without one a promise. */
    #call(action, members, callback) {
      const args = `{"collection":${this.#collection}${members}}`;
      if (args.length > MAX_ARGUMENT_CHARACTERS)
        throw new RangeError('The arguments of this call are too large');
      const send = (done, failed) =>
        callServer(this.#request, `model.${action}`, args, (ok, text) =>
          ok ? done(JSONParse(text)) : failed(failureOf(text)),
        );
      if (callback === undefined) return new Promise(send);
      send(
        (result) => callback(null, result),
        (error) => callback(error),
      );
      return undefined;
    }

    find(query, options) {
      const members =
        conditions('query', unlessFunction(query)) + conditions('options', unlessFunction(options));
      return this.#call('find', members, callbackOf(arguments, 0));
    }

    count(query, options) {
      const members =
        conditions('query', unlessFunction(query)) + conditions('options', unlessFunction(options));
      return this.#call('count', members, callbackOf(arguments, 0));
    }

    /** What older code passes between documents and callback (creator, dates) is set by the server. */
    create(documents, options) {
      const members = member('documents', documents) + writeOptions(options);
      return this.#call('create', members, callbackOf(arguments, 1));
    }

    update(query, update, options) {
      const members = conditions('query', query) + member('update', update) + writeOptions(options);
      return this.#call('update', members, callbackOf(arguments, 2));
    }

    delete(query, options) {
      const members = conditions('query', query) + writeOptions(options);
      return this.#call('delete', members, callbackOf(arguments, 1));
    }

    stats(options) {
      return this.#call('stats', member('options', unlessFunction(options)), callbackOf(arguments, 0));
    }
  }

  kit.facade(Model);
  kit.alias(Model.prototype, 'get', Model.prototype.find);

  return function createModel(request) {
    return function (name) {
      if (typeof name !== 'string')
        throw new TypeError(`Model needs the name of a collection, not ${typeof name}`);
      return new Model(request, String(name));
    };
  };
});
