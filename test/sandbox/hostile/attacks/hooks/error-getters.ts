// They are read inside, under the clock.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that throws a value whose members never return',
  source: `
module.exports = function () { throw { get message() { for (;;); }, get code() { for (;;); } }; };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002'] },
};
