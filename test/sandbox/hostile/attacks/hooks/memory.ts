// A write waits for it.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that fills the memory',
  source: `
module.exports = function (obj) { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002', 'ENDPOINT_CRASHED'] },
};
