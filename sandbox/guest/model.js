// `Model(name)`: the collections that are granted, as guest calls named `model.find`, `model.create` and so on. The server
// checks the grant, the query and the caller's permissions; nothing is decided here.
(function models(kit) {
  'use strict';
  const { ArrayIsArray, JSONParse, JSONStringify, ObjectHasOwn, ObjectKeys, Promise, PromiseThen } = kit.p;
  const { RangeError, String, TypeError } = kit.p;
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

  /** The call of later versions: one object with all of it. The server refuses it where the collection has a field of that name. */
  const OBJECT_FORM = ',"form":"object"';
  const FORM_MEMBERS = {
    __proto__: null,
    ...{ query: 1, options: 1, update: 1, documents: 1, internals: 1, req: 1, client: 1, language: 1 },
    ...{ rawOutput: 1, removeInternals: 1, validate: 1, compose: 1, all: 1 },
  };

  /** The only argument, where it is such a call: it has a member `main`, an object, and no member of another name. */
  function formOf(list, main) {
    const first = list[0];
    const second = list[1];
    if (second !== undefined && typeof second !== 'function') return undefined;
    if (typeof first !== 'object' || first === null || ArrayIsArray(first)) return undefined;
    if (!ObjectHasOwn(first, main) || typeof first[main] !== 'object' || first[main] === null)
      return undefined;
    const names = ObjectKeys(first);
    for (let index = 0; index < names.length; index += 1) {
      if (FORM_MEMBERS[names[index]] !== 1) return undefined;
    }
    return first;
  }

  /**
   * Older code passes its request behind the callback, or as `req` of the object, for the hooks of the collection. Only that it does
   * is said: what hooks see is the request that the server knows. Any other object has no effect.
   */
  function passedRequest({ given }, list, form) {
    if (given === undefined) return '';
    let passes = form !== undefined && form.req === given;
    for (let index = 1; index < list.length && !passes; index += 1) passes = list[index] === given;
    return passes ? ',"passesRequest":true' : '';
  }

  function readMembers(form, query, options) {
    if (form === undefined) {
      return conditions('query', unlessFunction(query)) + conditions('options', unlessFunction(options));
    }
    return `${OBJECT_FORM}${conditions('query', form.query)}${conditions('options', form.options)}`;
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

    /** A call with arguments `list` that runs hooks. The callback is one of those from `first` on. */
    #hooked(action, members, list, first, form) {
      const passed = passedRequest(this.#request, list, form);
      return this.#call(action, members + passed, callbackOf(list, first));
    }

    find(query, options) {
      const form = formOf(arguments, 'query');
      const isOlder = form !== undefined || callbackOf(arguments, 0) !== undefined;
      // Older code calls so within the hooks of the very collection: its hooks of reads do not run then.
      const members = readMembers(form, query, options) + (isOlder ? ',"olderForm":true' : '');
      return this.#hooked('find', members, arguments, 0, form);
    }

    get(query, options) {
      const form = formOf(arguments, 'query');
      return this.#hooked('find', readMembers(form, query, options), arguments, 0, form);
    }

    count(query, options) {
      const form = formOf(arguments, 'query');
      return this.#hooked('count', readMembers(form, query, options), arguments, 0, form);
    }

    /** What older code passes between documents and callback (creator, dates) is set by the server. */
    create(documents, options) {
      const form = formOf(arguments, 'documents');
      const members =
        form === undefined
          ? member('documents', documents) + writeOptions(options)
          : `${OBJECT_FORM}${member('documents', form.documents)}${writeOptions(form)}`;
      return this.#hooked('create', members, arguments, 1, form);
    }

    update(query, update, options) {
      const form = formOf(arguments, 'query');
      const members =
        form === undefined
          ? conditions('query', query) + member('update', update) + writeOptions(options)
          : `${OBJECT_FORM}${conditions('query', form.query)}${member('update', form.update)}${writeOptions(form)}`;
      return this.#hooked('update', members, arguments, 2, form);
    }

    delete(query, options) {
      const form = formOf(arguments, 'query');
      const members =
        form === undefined
          ? conditions('query', query) + writeOptions(options)
          : `${OBJECT_FORM}${conditions('query', form.query)}${writeOptions(form)}`;
      return this.#hooked('delete', members, arguments, 1, form);
    }

    stats(options) {
      return this.#call('stats', member('options', unlessFunction(options)), callbackOf(arguments, 0));
    }

    /** The revisions of a document, oldest first: `(id, options, callback)`, or `({id, …options})`. */
    revisions(id, options) {
      const isForm = typeof id === 'object' && id !== null && id.id !== undefined;
      const { historyFilters } = (isForm ? id : unlessFunction(options)) ?? {};
      const query = conditions('query', { _id: isForm ? id.id : id });
      const read = query + conditions('options', { includeHistory: true, historyFilters });
      const members = read + passedRequest(this.#request, arguments, isForm ? id : undefined);
      const callback = callbackOf(arguments, 1);
      const revisionsOf = ({ results }) => (results.length === 0 ? [] : (results[0].history ?? []));
      if (callback === undefined) return PromiseThen(this.#call('find', members), revisionsOf);
      return this.#call('find', members, (error, found) =>
        error ? callback(error) : callback(null, revisionsOf(found)),
      );
    }

    /** Older code makes ids of texts by it. Ids are texts here. */
    castToBSON(query) {
      return query;
    }
  }

  kit.facade(Model);
  kit.alias(Model.prototype, 'getRevisions', Model.prototype.revisions);
  kit.alias(Model.prototype, 'getStats', Model.prototype.stats);

  return function createModel(request) {
    return function (name) {
      if (typeof name !== 'string')
        throw new TypeError(`Model needs the name of a collection, not ${typeof name}`);
      return new Model(request, String(name));
    };
  };
});
