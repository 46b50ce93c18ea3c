// Written pages are resident.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'typed arrays, written to',
  source: `
module.exports.get = function (req, res) { const all = []; for (;;) all.push(new Float64Array(1 << 20).fill(1)); };
`,
  policy: BOMB,
  expect: STARVED,
};
