// The copy happens in native code, beyond the time limit.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a Set of a big array',
  source: `
module.exports.get = function (req, res) { res.end(String(new Set(new Array(4e7).keys()).size)); };
`,
  policy: BOMB,
  expect: STARVED,
};
