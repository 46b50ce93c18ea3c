// Compiling it is native, slow and large.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a regular expression of a million alternatives',
  source: `
module.exports.get = function (req, res) {
  const words = [];
  for (let n = 0; n < 1e6; n += 1) words.push('w' + n.toString(36));
  res.end(String(new RegExp(words.join('|')).test('nothing')).padEnd(200, '!'));
};
`,
  policy: BOMB,
  expect: STARVED,
};
