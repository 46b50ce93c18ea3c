// Response splitting.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'CR and LF in a header value',
  source: String.raw`
module.exports.get = function (req, res) {
  const errors = [];
  for (const value of ['a\r\nx-injected: 1', 'a\nset-cookie: b=c', 'a\rb', 'a\u0000b']) {
    try { res.setHeader('x-value', value); errors.push('accepted'); } catch (error) { errors.push(error.name); }
  }
  res.end(errors.join());
};
`,
  expect: {
    status: 200,
    headers: { 'x-injected': null, 'set-cookie': null },
    body: /TypeError,TypeError,TypeError,TypeError$/,
  },
};
