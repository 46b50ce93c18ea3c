// Each turn is short; the wall clock is not.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a chain of timers without end',
  source: `
module.exports.get = async function (req, res) { for (;;) await new Promise((resolve) => setTimeout(resolve, 1)); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
