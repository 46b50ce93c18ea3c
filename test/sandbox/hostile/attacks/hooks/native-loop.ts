// Only a kill ends it.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook stuck in native code',
  source: `
module.exports = function (obj) { Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); return obj; };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002', 'ENDPOINT_CRASHED'] },
};
