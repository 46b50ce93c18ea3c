// Waiting for nothing ends at once.
import { type Attack, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a promise that never settles',
  source: `
module.exports.get = async function (req, res) { await new Promise(() => {}); };
`,
  expect: TIMEOUT,
};
