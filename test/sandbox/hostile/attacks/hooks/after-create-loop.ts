// Nobody waits for it; it must not go on for ever either.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook behind the answer that loops',
  source: `
module.exports = function (obj) { for (;;); };
`,
  hook: 'afterCreate',
  policy: BOMB,
  expect: { status: 200 },
};
