// No grant makes them the guest's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'framing headers with a grant',
  source: `
module.exports.get = function (req, res) { res.setHeader('content-length', '1'); res.end('two'); };
`,
  policy: { version: 1, grants: { response: { headers: ['content-length', 'x-a'] } } },
  expect: { refused: ['POLICY_INVALID'] },
};
