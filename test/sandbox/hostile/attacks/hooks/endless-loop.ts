// A write waits for it.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that loops',
  source: `
module.exports = function (obj) { for (;;); };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002'] },
};
