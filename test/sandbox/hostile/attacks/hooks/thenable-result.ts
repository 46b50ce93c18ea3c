// What it returns becomes a document.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that returns thenables and getters',
  source: `
module.exports = function (obj) { return { then(ok) { ok({ get title() { for (;;); } }); } }; };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002'] },
};
