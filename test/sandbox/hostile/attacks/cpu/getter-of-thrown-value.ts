// Reading it outside the timed call would hang for ever.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a thrown value whose message never returns',
  source: `
module.exports.get = function (req, res) { throw { get message() { for (;;); }, get stack() { for (;;); }, toString() { for (;;); } }; };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
