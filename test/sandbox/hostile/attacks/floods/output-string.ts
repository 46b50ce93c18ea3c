// The size is checked before anything crosses.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an answer of a hundred megabytes',
  source: `
module.exports.get = function (req, res) { res.end('x'.repeat(1e8)); };
`,
  policy: { version: 1, limits: { responseBytes: 100_000 } },
  expect: { codes: ['ENDPOINT_RESPONSE_TOO_LARGE', 'ENDPOINT_MEMORY'] },
};
