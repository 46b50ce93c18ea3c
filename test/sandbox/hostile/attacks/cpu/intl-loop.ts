// Each construction is slow native code.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'formatters in a loop',
  source: `
module.exports.get = function (req, res) { for (;;) new Date(0).toLocaleString('hi-u-nu-deva', { timeZone: 'Asia/Kolkata', dateStyle: 'full', timeStyle: 'full' }); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] },
};
