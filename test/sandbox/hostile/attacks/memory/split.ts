// V8 aborts the whole process with "invalid size error".
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'split of 200 million characters',
  source: `
module.exports.get = function (req, res) { res.end(String('x'.repeat(2e8).split('').length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
