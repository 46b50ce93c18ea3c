// Waiting ends with the wall clock.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a timer longer than the wall clock',
  source: `
module.exports.get = function (req, res) { setTimeout(() => res.end('late'), 1e9); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
