// `fetch`: a guest call. The server holds the address against the grant, adds its secrets, and answers with a text.
(function fetches(kit) {
  'use strict';
  const { ArrayIsArray, ArrayValues, JSONParse, JSONStringify, ObjectKeys, Promise, PromiseReject } = kit.p;
  const { RangeError, ReflectApply, String, StringToLowerCase, StringToUpperCase } = kit.p;
  const { SymbolIterator, TypedArrayBuffer, TypeError } = kit.p;
  const { failureOf, callServer } = kit.requests;
  const { copyOf, encode, fromBase64, toBase64, viewOf } = kit.bytes;
  const MAX_HEADERS = 100;
  const MAX_ARGUMENT_CHARACTERS = 1_048_576;

  class FetchHeaders {
    #pairs;

    /** `pairs`: [name, value], names in lower case. */
    constructor(pairs) {
      this.#pairs = pairs;
    }

    static pairsOf(value) {
      return #pairs in value ? value.#pairs : undefined;
    }

    get(name) {
      const key = StringToLowerCase(String(name));
      let found = null;
      for (let index = 0; index < this.#pairs.length; index += 1) {
        const pair = this.#pairs[index];
        if (pair[0] === key) found = found === null ? pair[1] : `${found}, ${pair[1]}`;
      }
      return found;
    }

    has(name) {
      return this.get(name) !== null;
    }

    #list(valueOf) {
      const list = [];
      for (let index = 0; index < this.#pairs.length; index += 1) {
        kit.put(list, index, valueOf(this.#pairs[index]));
      }
      return ArrayValues(list);
    }

    entries() {
      return this.#list((pair) => [pair[0], pair[1]]);
    }

    keys() {
      return this.#list((pair) => pair[0]);
    }

    values() {
      return this.#list((pair) => pair[1]);
    }

    forEach(callback, self) {
      for (let index = 0; index < this.#pairs.length; index += 1) {
        const pair = this.#pairs[index];
        ReflectApply(callback, self, [pair[1], pair[0], this]);
      }
    }
  }
  const { pairsOf } = FetchHeaders;
  kit.facade(FetchHeaders);
  kit.alias(FetchHeaders.prototype, SymbolIterator, FetchHeaders.prototype.entries);

  class FetchResponse {
    #answer;
    #headers;

    constructor(answer) {
      this.#answer = answer;
      this.#headers = new FetchHeaders(answer.headers);
    }

    get status() {
      return this.#answer.status;
    }

    get ok() {
      return this.#answer.status >= 200 && this.#answer.status < 300;
    }

    get headers() {
      return this.#headers;
    }

    #text() {
      const { body, encoding } = this.#answer;
      return encoding === 'base64' ? kit.decode(fromBase64(body), false, false) : body;
    }

    #bytes() {
      const { body, encoding } = this.#answer;
      return encoding === 'base64' ? fromBase64(body) : encode(body);
    }

    text() {
      return new Promise((resolve) => resolve(this.#text()));
    }

    json() {
      return new Promise((resolve) => resolve(JSONParse(this.#text())));
    }

    bytes() {
      return new Promise((resolve) => resolve(this.#bytes()));
    }

    arrayBuffer() {
      return new Promise((resolve) => resolve(TypedArrayBuffer(copyOf(this.#bytes()))));
    }
  }
  kit.facade(FetchResponse);

  /** JSON text of one header. */
  const pairText = (name, value) => `[${JSONStringify(String(name))},${JSONStringify(String(value))}]`;

  /** JSON text of `[[name, value], …]`, and whether a content type is among them. */
  function headersText(given) {
    if (given === undefined || given === null) return { text: '', typed: false };
    if (typeof given !== 'object') throw new TypeError('headers must be an object or a list of pairs');
    const pairs = pairsOf(given) ?? (ArrayIsArray(given) ? given : undefined);
    const keys = pairs === undefined ? ObjectKeys(given) : undefined;
    const count = pairs === undefined ? keys.length : pairs.length;
    if (!(count <= MAX_HEADERS)) throw new RangeError(`A request has at most ${MAX_HEADERS} headers`);
    let text = '';
    let typed = false;
    for (let index = 0; index < count; index += 1) {
      const name = String(pairs === undefined ? keys[index] : pairs[index][0]);
      text += `${index === 0 ? '' : ','}${pairText(name, pairs === undefined ? given[name] : pairs[index][1])}`;
      typed ||= StringToLowerCase(name) === 'content-type';
    }
    return { text, typed };
  }

  /** The body as it travels, and the type that it has unless the author says otherwise. */
  function bodyOf(given) {
    if (given === undefined || given === null) return { text: 'null', encoding: 'text', type: '' };
    const view = viewOf(given);
    if (view !== undefined) return { text: JSONStringify(toBase64(view)), encoding: 'base64', type: '' };
    const form = typeof given === 'object' && kit.isSearchParams(given);
    const type = form ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
    return { text: JSONStringify(String(given)), encoding: 'text', type };
  }

  function argsOf(input, init) {
    const options = init === undefined || init === null ? {} : init;
    const { method: givenMethod, headers: givenHeaders, body: givenBody } = options;
    const method = givenMethod === undefined ? 'GET' : StringToUpperCase(String(givenMethod));
    const body = bodyOf(givenBody);
    if (body.text !== 'null' && (method === 'GET' || method === 'HEAD')) {
      throw new TypeError(`A ${method} request has no body`);
    }
    const { text: given, typed } = headersText(givenHeaders);
    const type = typed || body.type === '' ? '' : pairText('content-type', body.type);
    const headers = given === '' || type === '' ? given + type : `${given},${type}`;
    const target = `"url":${JSONStringify(String(input))},"method":${JSONStringify(method)}`;
    const args = `{${target},"headers":[${headers}],"body":${body.text},"bodyEncoding":"${body.encoding}"}`;
    if (args.length > MAX_ARGUMENT_CHARACTERS) throw new RangeError('The request is too large');
    return args;
  }

  return function createFetch(request) {
    return function fetch(input, init) {
      try {
        const args = argsOf(input, init);
        return new Promise((resolve, reject) => {
          callServer(request, 'fetch', args, (ok, text) => {
            if (ok) resolve(new FetchResponse(JSONParse(text)));
            else reject(failureOf(text));
          });
        });
      } catch (thrown) {
        return PromiseReject(thrown);
      }
    };
  };
});
