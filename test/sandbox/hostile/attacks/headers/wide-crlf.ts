// U+010D and U+010A become CR and LF when text is written as latin1.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code points whose low byte is CR or LF',
  source: String.raw`
module.exports.get = function (req, res) {
  const errors = [];
  for (const value of ['a\u010d\u010ax-injected: 1', '\u560d\u560a', 'a\u2028b']) {
    try { res.setHeader('x-value', value); errors.push('accepted'); } catch (error) { errors.push(error.name); }
  }
  res.end(errors.join());
};
`,
  expect: { status: 200, headers: { 'x-injected': null }, body: 'TypeError,TypeError,TypeError' },
};
