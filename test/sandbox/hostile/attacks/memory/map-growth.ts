// Growing a table copies it: near the limit V8 aborts the process instead of throwing.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a Map that grows for ever',
  source: `
module.exports.get = function (req, res) { const map = new Map(); for (let n = 0; ; n += 1) map.set('key' + n, { n }); };
`,
  policy: BOMB,
  expect: STARVED,
};
