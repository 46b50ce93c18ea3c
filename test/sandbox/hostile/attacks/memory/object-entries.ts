// A pair of objects for each character.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'Object.entries of fifty million characters',
  source: `
module.exports.get = function (req, res) { res.end(String(Object.entries('x'.repeat(5e7)).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
