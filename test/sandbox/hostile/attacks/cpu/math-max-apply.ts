// Arguments are gathered in native code.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'Math.max.apply with a lying length',
  source: `
module.exports.get = function (req, res) { for (;;) Math.max.apply(null, { length: 6e7 }); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED', 'ENDPOINT_ERROR'] },
};
