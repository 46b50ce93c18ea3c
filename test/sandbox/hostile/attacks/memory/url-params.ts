// A parser of ours in front of the guest's memory.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a URLSearchParams of millions',
  source: `
module.exports.get = function (req, res) { res.end(String([...new URLSearchParams('a=1&'.repeat(1e7))].length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
