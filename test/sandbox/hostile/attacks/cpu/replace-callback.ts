// Native string code calls the guest.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'replace with a callback that never returns',
  source: `
module.exports.get = function (req, res) { 'abc'.replace(/./g, () => { for (;;); }); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
