// Conversion runs inside our facade, under the same clock.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a header value whose toString never returns',
  source: `
module.exports.get = function (req, res) { res.setHeader('x-a', { toString() { for (;;); } }); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
