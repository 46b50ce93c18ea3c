// Each holds its reactions.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'promises that never settle',
  source: `
module.exports.get = function (req, res) { const all = []; for (;;) all.push(new Promise(() => {}).then(() => all)); };
`,
  policy: BOMB,
  expect: STARVED,
};
