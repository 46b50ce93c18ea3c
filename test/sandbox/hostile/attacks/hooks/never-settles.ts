// It waits for nothing.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook whose promise never settles',
  source: `
module.exports = function (obj) { return new Promise(() => {}); };
`,
  hook: 'beforeCreate',
  expect: { codes: ['API-0002'] },
};
