// Every operation on it calls the guest.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a proxy whose traps never return',
  source: `
module.exports.get = function (req, res) { res.json(new Proxy({}, { ownKeys() { for (;;); }, get() { for (;;); } })); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
