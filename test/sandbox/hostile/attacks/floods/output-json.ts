// The convenience has the same limit.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'JSON of more than the limit',
  source: `
module.exports.get = function (req, res) { res.json({ a: 'x'.repeat(2000) }); };
`,
  policy: { version: 1, limits: { responseBytes: 1000 } },
  expect: { codes: ['ENDPOINT_RESPONSE_TOO_LARGE'] },
};
