// Exponential backtracking.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a catastrophic regular expression',
  source: `
module.exports.get = function (req, res) { res.end(String(/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60)))); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
