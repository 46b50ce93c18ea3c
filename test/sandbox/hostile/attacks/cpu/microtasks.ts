// Each makes the next, and none gives the turn back. Nothing is returned to `then`: such a chain would run out of memory first.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'microtasks without end',
  source: `
module.exports.get = function (req, res) { const again = () => { Promise.resolve().then(again); }; again(); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
