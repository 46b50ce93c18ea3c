// Beyond the budget of the log nothing may be sent, and the loop is still a loop.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'console.log without end',
  source: `
module.exports.get = function (req, res) { for (;;) console.log('x'.repeat(1000)); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
