// Native loops of a megabyte each, a million times.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'comparisons of long equal strings',
  source: `
module.exports.get = function (req, res) { const a = 'x'.repeat(4e6) + 'a'; const b = 'x'.repeat(4e6) + 'b'; for (;;) if (a.indexOf(b) === 0 || a === b) break; };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] },
};
