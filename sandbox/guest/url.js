// `URL`: parsed by the host, as the URL standard says. Text goes out, the parts come back.
(function urls(kit) {
  'use strict';
  const { JSONParse, String, TypeError } = kit.p;
  const { ask } = kit.requests;

  function partsOf(url, base) {
    const text = ask('url', base === undefined ? '' : `=${String(base)}`, String(url));
    return text === '' ? undefined : JSONParse(text);
  }

  class URL {
    #parts;
    #params = undefined;

    constructor(url, base) {
      const parts = partsOf(url, base);
      if (parts === undefined) {
        const error = new TypeError('Invalid URL');
        kit.put(error, 'code', 'ERR_INVALID_URL');
        throw error;
      }
      this.#parts = parts;
    }

    static canParse(url, base) {
      return partsOf(url, base) !== undefined;
    }

    static parse(url, base) {
      return partsOf(url, base) === undefined ? null : new URL(url, base);
    }

    /** `own` is false when the change comes from the search parameters themselves. */
    #set(name, value, own) {
      const text = ask('set-url', `${name} ${this.#parts.href}`, String(value));
      if (text === '') {
        if (name === 'href') throw new TypeError('Invalid URL');
        return;
      }
      this.#parts = JSONParse(text);
      if (own && this.#params !== undefined) this.#params.replace(this.#parts.search);
    }

    get searchParams() {
      if (this.#params === undefined) {
        const changed = (text) => this.#set('search', text, false);
        this.#params = kit.bindSearchParams(this.#parts.search, changed);
      }
      return this.#params.params;
    }

    get origin() {
      return this.#parts.origin;
    }

    toString() {
      return this.#parts.href;
    }

    toJSON() {
      return this.#parts.href;
    }

    static {
      const names = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port'];
      const all = [...names, 'pathname', 'search', 'hash'];
      for (const name of all) {
        kit.p.ObjectDefineProperty(URL.prototype, name, {
          __proto__: null,
          get() {
            return this.#parts[name];
          },
          set(value) {
            this.#set(name, value, true);
          },
          enumerable: true,
          configurable: true,
        });
      }
    }
  }

  kit.expose('URL', URL);
});
