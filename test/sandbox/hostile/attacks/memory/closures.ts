// Nothing of it is data, all of it is live.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'closures that hold each other',
  source: `
module.exports.get = function (req, res) { let last = () => 0; for (;;) { const before = last; last = () => before; } };
`,
  policy: BOMB,
  expect: STARVED,
};
