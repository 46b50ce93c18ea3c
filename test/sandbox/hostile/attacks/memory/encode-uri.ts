// One native call that writes three times what it reads.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'encodeURIComponent of hundreds of MB',
  source: `
module.exports.get = function (req, res) { res.end(String(encodeURIComponent('é'.repeat(1e8)).length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
