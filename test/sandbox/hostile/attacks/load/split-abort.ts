// An abort must hit a throw-away host only.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code that aborts the process while loading',
  source: `
'x'.repeat(2e8).split('');
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
