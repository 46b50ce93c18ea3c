// `Symbol.for` within a budget: a registered symbol is never collected as long as the isolate lives.
(function symbols(kit) {
  'use strict';
  const { RangeError, String, Symbol, SymbolFor } = kit.p;
  const MAX_KEY_CHARACTERS = 100;
  /** Keys that modules of Node use: registered once, so that nothing is kept for a request that has them. */
  const KNOWN = {
    __proto__: null,
    'nodejs.util.inspect.custom': SymbolFor('nodejs.util.inspect.custom'),
    'nodejs.util.promisify.custom': SymbolFor('nodejs.util.promisify.custom'),
  };

  kit.alias(Symbol, 'for', (key) => {
    const text = String(key);
    if (KNOWN[text] !== undefined) return KNOWN[text];
    const request = kit.requests.current.request;
    if (request === undefined || request.dead || request.symbolsLeft <= 0) {
      throw new RangeError('Too many keys for Symbol.for in one request');
    }
    if (text.length > MAX_KEY_CHARACTERS) {
      throw new RangeError(`A key of Symbol.for has at most ${MAX_KEY_CHARACTERS} characters`);
    }
    request.symbolsLeft -= 1;
    return SymbolFor(text);
  });
});
