// A heap failure that aborts the process.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'toSorted of a lying length',
  source: `
module.exports.get = function (req, res) { res.end(String(Array.prototype.toSorted.call({ length: 2 ** 32 - 1 }).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
