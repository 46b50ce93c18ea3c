// The limit is noticed, yet the thread runs on: only a kill helps.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'Array(1e9).fill(0)',
  source: `
module.exports.get = function (req, res) { res.end(String(Array(1e9).fill(0).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
