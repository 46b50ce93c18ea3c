// The engine's timer pauses while the host works.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'synchronous host functions in a loop',
  source: `
module.exports.get = function (req, res) { for (;;) { new URL('http://a/b?c'); crypto.randomUUID(); } };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
