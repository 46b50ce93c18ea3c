// Puts the parts together in one context. Runs once in each, before any code of an author.
// `bridge` is the only way out: (number, kind, text, text) → text or nothing. It stays in closures of strict functions, which
// no `caller`, `arguments` or stack frame gives away.
(function main(parts) {
  'use strict';
  return function install(bridge, optionsText) {
    const kit = { __proto__: null, bridge };
    kit.p = parts.primordials();
    kit.options = kit.p.JSONParse(optionsText);
    parts.cut(kit);
    Object.assign(kit, parts.objects(kit));
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
    const program = parts.program(kit);
    const inspect = parts.inspect(kit, program);
    kit.hiddenPrototypes = parts['hidden-prototypes'](kit);
    if (kit.options.isolation === 'realm') parts.harden(kit);

    /** A text that came in pieces. */
    function joined(pieces) {
      let text = '';
      for (let index = 0; index < pieces.length; index += 1) text += pieces[index];
      return text;
    }

    /** Every entry into this context, each of them a call with a time limit. */
    return function enter(what, number, a, b, c, ...pieces) {
      if (what === 'start-all') return program.startAll(number, joined(pieces));
      if (what === 'start') program.start(number, a, joined(pieces), b, c);
      else if (what === 'deliver') kit.requests.deliver(number, a, b, joined(pieces));
      else if (what === 'pending') return kit.requests.pendingOf(number);
      else if (what === 'stop') kit.requests.stop(number);
      else if (what === 'stop-all') kit.requests.stopCurrent();
      else if (what === 'inspect') inspect(number, a, b);
      else if (what === 'author') kit.author = a;
    };
  };
});
