// Numbers as memory.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'BigInts of megabytes',
  source: `
module.exports.get = function (req, res) { const all = []; for (let n = 1n; ; n += 1n) all.push((1n << (1n << 24n)) + n); };
`,
  policy: BOMB,
  expect: STARVED,
};
