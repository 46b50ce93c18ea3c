// The plainest loop.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'while (true)',
  source: `
module.exports.get = function (req, res) { while (true); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
