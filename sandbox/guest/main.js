// Puts the parts together in one context. Runs once in each, before any code of an author.
// `callHost` is the only way out: (number, kind, text, text) → text or nothing. It stays in closures of strict functions, which
// no `caller`, `arguments` or stack gives away.
(function main(parts) {
  'use strict';
  /** The reason of our own rejection, known to `slice-errors.js`. */
  const OWN_REJECTION = 7;
  /** Entries in which code of an author runs. */
  const RUNS_CODE = { __proto__: null, start: 1, deliver: 1, inspect: 1 };

  return function install(callHost, optionsText) {
    /** Where the stack has no room for the call it throws an error of the host, with paths of the machine: nobody sees it. */
    function bridge(number, kind, head, body) {
      try {
        return callHost(number, kind, head, body);
      } catch {
        return undefined;
      }
    }
    const kit = { __proto__: null, bridge };
    kit.p = parts.primordials();
    const { PromiseReject } = kit.p;
    kit.options = kit.p.JSONParse(optionsText);
    parts.cut(kit);
    Object.assign(kit, parts.objects(kit));
    // Names that older code and bundles have for it.
    kit.expose('global', kit.p.globalThis);
    kit.expose('self', kit.p.globalThis);
    kit.errors = parts['describe-error'](kit);
    kit.requests = parts.request(kit);
    kit.bytes = parts.bytes(kit);
    kit.log = parts.log(kit);
    kit.answerText = parts['answer-text'](kit);
    kit.Headers = parts.headers(kit);
    kit.Response = parts.response(kit);
    kit.readBody = parts.body(kit);
    kit.timers = parts.timers(kit);
    kit.createMath = parts.random(kit);
    parts.symbols(kit);
    parts.clock(kit);
    parts.text(kit);
    kit.bindSearchParams = parts['url-search-params'](kit);
    parts.url(kit);
    parts.clone(kit);
    kit.createCrypto = parts.crypto(kit);
    kit.createModel = parts.model(kit);
    kit.createFetch = parts.fetch(kit);
    kit.createBcrypt = parts.bcrypt(kit);
    kit.createRequire = parts.require(kit);
    const program = parts.program(kit);
    kit.describe = parts.describe(kit);
    const inspect = parts.inspect(kit, program);
    kit.hiddenPrototypes = parts['hidden-prototypes'](kit);
    if (kit.options.isolation === 'realm') parts.harden(kit);

    /** A text that came in pieces. */
    function joined(pieces) {
      let text = '';
      for (let index = 0; index < pieces.length; index += 1) text += pieces[index];
      return text;
    }

    /**
     * Once a call is over, isolated-vm throws the reason of the first promise that was rejected in it and has no handler, and reads
     * the properties of that reason outside of any time limit. So the first one is ours, before any code of an author: isolated-vm
     * throws its number, and looks at no other. It is kept, as one that has been collected would be passed over.
     */
    function rejectFirst() {
      kit.ownRejection = PromiseReject(OWN_REJECTION);
    }

    /** For `start` the number is the list of requests. */
    function run(what, number, a, b, pieces) {
      if (what === 'start') return program.startAll(number, joined(pieces), a);
      if (what === 'deliver') kit.requests.deliver(number, a, b, joined(pieces));
      else if (what === 'inspect') inspect(number, a, b);
      else if (what === 'pending') return kit.requests.pendingOf(number);
      else if (what === 'stop') kit.requests.stop(number);
      else if (what === 'stop-all') kit.requests.stopCurrent();
      return undefined;
    }

    /** Every entry into this context, each of them a call with a time limit. It throws nothing: what is thrown is read, too. */
    return function enter(what, number, a, b, ...pieces) {
      if (what === 'author') {
        kit.author = a;
        kit.modules = b;
        return undefined;
      }
      // What a stopped call has left behind runs in the next one, `stop`: the rejection of the stopped call is still the first.
      if (!kit.options.synchronous && RUNS_CODE[what] === 1) rejectFirst();
      try {
        return run(what, number, a, b, pieces);
      } catch {
        return undefined;
      }
    };
  };
});
