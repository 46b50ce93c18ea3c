// Ropes cost nothing until something flattens them.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'strings that double',
  source: `
module.exports.get = function (req, res) {
  const kept = [];
  for (let n = 0; ; n += 1) { const text = ('x' + n).repeat(1 << 20); kept.push(text.split('').reverse().join('')); }
};
`,
  policy: BOMB,
  expect: STARVED,
};
