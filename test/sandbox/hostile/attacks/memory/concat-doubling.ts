// Late to stop, with gigabytes at the peak.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'concat that doubles',
  source: `
module.exports.get = function (req, res) { let list = [1, 2, 3, 4]; for (;;) list = [].concat(list, list); };
`,
  policy: BOMB,
  expect: STARVED,
};
