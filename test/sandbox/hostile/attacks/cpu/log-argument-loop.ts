// The console formats what the guest gives.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a log argument whose getters never return',
  source: `
module.exports.get = function (req, res) { console.log({ get a() { for (;;); }, toJSON() { for (;;); }, toString() { for (;;); } }, new Proxy({}, { ownKeys() { for (;;); } })); for (;;); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
