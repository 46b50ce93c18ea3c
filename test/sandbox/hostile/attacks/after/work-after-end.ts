// The answer is out; the loop still has its clock.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a loop after res.end',
  source: `
module.exports.get = function (req, res) { res.end('ok'); for (;;); };
`,
  policy: BOMB,
  requests: [{}, {}],
  expect: { codes: ['ENDPOINT_TIMEOUT'], orBytes: 10 },
};
