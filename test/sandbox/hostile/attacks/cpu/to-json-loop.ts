// res.json serializes what the guest gives.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a toJSON that never returns',
  source: `
module.exports.get = function (req, res) { res.json({ toJSON() { for (;;); } }); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
