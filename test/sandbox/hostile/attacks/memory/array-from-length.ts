// Native iteration over a length that lies.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'Array.from({length: 1e9})',
  source: `
module.exports.get = function (req, res) { res.end(String(Array.from({ length: 1e9 }).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
