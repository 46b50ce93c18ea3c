// `URLSearchParams`: the pairs live here, the host parses and writes them as the URL standard says.
(function urlSearchParams(kit) {
  'use strict';
  const { ArrayIsArray, ArraySort, ArrayValues, JSONParse, JSONStringify, ObjectKeys, String } = kit.p;
  const { StringSlice, StringStartsWith, SymbolIterator, TypeError } = kit.p;
  const { ask } = kit.requests;
  const MAX_PAIRS = 10_000;

  const tooMany = () => new TypeError(`There are more than ${MAX_PAIRS} pairs`);

  /** The host answers nothing where there are too many. */
  function parse(text) {
    const answer = ask('pairs', '', StringStartsWith(text, '?') ? StringSlice(text, 1) : text);
    if (answer === '') throw tooMany();
    return JSONParse(answer);
  }

  function addPair(pairs, name, value) {
    if (pairs.length === MAX_PAIRS) throw tooMany();
    kit.put(pairs, pairs.length, [String(name), String(value)]);
  }

  function addItem(pairs, item) {
    if (item === null || typeof item !== 'object') throw new TypeError('Each item must be a pair');
    addPair(pairs, item[0], item[1]);
  }

  function pairsOfArray(items) {
    const pairs = [];
    for (let index = 0; index < items.length; index += 1) addItem(pairs, items[index]);
    return pairs;
  }

  /** Pairs of anything else that can be iterated: its iterator is the author's, and is only asked for the next item. */
  function pairsOf(iterable) {
    const pairs = [];
    const iterator = iterable[SymbolIterator]();
    for (let step = iterator.next(); !step.done; step = iterator.next()) addItem(pairs, step.value);
    return pairs;
  }

  function pairsOfMembers(object) {
    const keys = ObjectKeys(object);
    const pairs = [];
    for (let index = 0; index < keys.length; index += 1) addPair(pairs, keys[index], object[keys[index]]);
    return pairs;
  }

  function initialPairs(init) {
    if (init === undefined || init === null) return [];
    if (typeof init !== 'object' && typeof init !== 'function') return parse(String(init));
    if (ArrayIsArray(init)) return pairsOfArray(init);
    if (typeof init[SymbolIterator] === 'function') return pairsOf(init);
    return pairsOfMembers(init);
  }

  class URLSearchParams {
    #pairs;
    /** Tells the URL to which these belong. */
    #changed = undefined;

    constructor(init) {
      this.#pairs = initialPairs(init);
    }

    /** Ties new params to a URL; answers them, and how to replace their pairs by those of a text. */
    static bind(text, changed) {
      const params = new URLSearchParams(text);
      params.#changed = changed;
      const replace = (other) => {
        params.#pairs = parse(other);
      };
      return { params, replace };
    }

    static is(value) {
      return #pairs in value;
    }

    #keep(keeps) {
      const kept = [];
      for (let index = 0; index < this.#pairs.length; index += 1) {
        if (keeps(this.#pairs[index])) kit.put(kept, kept.length, this.#pairs[index]);
      }
      this.#replace(kept);
    }

    #replace(pairs) {
      this.#pairs = pairs;
      if (this.#changed !== undefined) this.#changed(this.toString());
    }

    /** One value for each pair, in a new list. */
    #list(valueOf) {
      const list = [];
      for (let index = 0; index < this.#pairs.length; index += 1) {
        kit.put(list, index, valueOf(this.#pairs[index]));
      }
      return list;
    }

    get size() {
      return this.#pairs.length;
    }

    append(name, value) {
      addPair(this.#pairs, name, value);
      this.#replace(this.#pairs);
    }

    delete(name, value) {
      const key = String(name);
      const only = value === undefined ? undefined : String(value);
      this.#keep((pair) => pair[0] !== key || (only !== undefined && pair[1] !== only));
    }

    get(name) {
      const key = String(name);
      for (let index = 0; index < this.#pairs.length; index += 1) {
        if (this.#pairs[index][0] === key) return this.#pairs[index][1];
      }
      return null;
    }

    getAll(name) {
      const key = String(name);
      const list = [];
      for (let index = 0; index < this.#pairs.length; index += 1) {
        if (this.#pairs[index][0] === key) kit.put(list, list.length, this.#pairs[index][1]);
      }
      return list;
    }

    has(name, value) {
      const key = String(name);
      for (let index = 0; index < this.#pairs.length; index += 1) {
        const pair = this.#pairs[index];
        if (pair[0] === key && (value === undefined || pair[1] === String(value))) return true;
      }
      return false;
    }

    set(name, value) {
      const key = String(name);
      const text = String(value);
      let found = false;
      const kept = [];
      for (let index = 0; index < this.#pairs.length; index += 1) {
        const pair = this.#pairs[index];
        if (pair[0] === key && found) continue;
        kit.put(kept, kept.length, pair[0] === key ? [key, text] : pair);
        found ||= pair[0] === key;
      }
      if (!found) kit.put(kept, kept.length, [key, text]);
      this.#replace(kept);
    }

    sort() {
      ArraySort(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#replace(this.#pairs);
    }

    forEach(callback, self) {
      const pairs = this.#pairs;
      for (let index = 0; index < pairs.length; index += 1) {
        kit.p.ReflectApply(callback, self, [pairs[index][1], pairs[index][0], this]);
      }
    }

    keys() {
      return ArrayValues(this.#list((pair) => pair[0]));
    }

    values() {
      return ArrayValues(this.#list((pair) => pair[1]));
    }

    entries() {
      return ArrayValues(this.#list((pair) => [pair[0], pair[1]]));
    }

    toString() {
      let text = '';
      for (let index = 0; index < this.#pairs.length; index += 1) {
        const pair = this.#pairs[index];
        text += `${index === 0 ? '' : ','}[${JSONStringify(pair[0])},${JSONStringify(pair[1])}]`;
      }
      return ask('query', '', `[${text}]`);
    }
  }

  const { bind, is, prototype } = URLSearchParams;
  delete URLSearchParams.bind;
  delete URLSearchParams.is;
  kit.alias(prototype, SymbolIterator, prototype.entries);
  kit.expose('URLSearchParams', URLSearchParams);
  kit.isSearchParams = is;
  return bind;
});
