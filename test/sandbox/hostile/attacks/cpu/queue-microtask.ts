// The same through our own function.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'queueMicrotask without end',
  source: `
module.exports.get = function (req, res) { const again = () => queueMicrotask(again); again(); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
