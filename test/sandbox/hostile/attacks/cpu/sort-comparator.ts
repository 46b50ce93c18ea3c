// Native code calls back into the guest.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a comparator that never returns',
  source: `
module.exports.get = function (req, res) { [3, 2, 1].sort(() => { for (;;); }); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
