// Case mapping makes two characters of one.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'toUpperCase that doubles the length',
  source: `
module.exports.get = function (req, res) { res.end(String('ß'.repeat(2e8).toUpperCase().length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
