// The body of a request, from its text. The server has checked its form before.
(function bodies(kit) {
  'use strict';
  const { JSONParse, RangeError } = kit.p;

  return function readBody(type, text) {
    if (type === 'text') return text;
    if (type === 'none' || text === '') return {};
    if (type === 'json') return JSONParse(text);
    const answer = kit.requests.ask('form', '', text);
    if (answer === '') throw new RangeError('The form has too many fields');
    return JSONParse(answer);
  };
});
