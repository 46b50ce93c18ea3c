// A chain of promises never gives the turn back.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'microtasks without end',
  source: `
module.exports.get = function (req, res) { const again = () => Promise.resolve().then(again); again(); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
