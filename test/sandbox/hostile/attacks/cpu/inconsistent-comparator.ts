// Sorting must end whatever the comparator says.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'an inconsistent comparator over a big list',
  source: `
module.exports.get = function (req, res) { const list = Array.from({ length: 2e6 }, (_, n) => n); for (;;) list.sort(() => Math.random() - 0.5); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY'] },
};
