// Async code has no turn of its own.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'an async handler that loops before its first await',
  source: `
module.exports.get = async function (req, res) { for (;;) await null; };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
