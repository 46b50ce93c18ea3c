// The time limit of the first call is long gone: without a turn protocol this runs for ever.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a loop after the await of a guest call',
  source: `
module.exports.get = async function (req, res) { await new Promise((resolve) => setTimeout(resolve, 1)); for (;;); };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
