// Randomness comes from outside and must be paid for.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'random bytes without end',
  source: `
module.exports.get = function (req, res) { const bytes = new Uint8Array(65536); for (;;) crypto.getRandomValues(bytes); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
