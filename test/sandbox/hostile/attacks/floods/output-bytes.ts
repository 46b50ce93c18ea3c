// The same for bytes.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a binary answer of a hundred megabytes',
  source: `
module.exports.get = function (req, res) { res.end(new Uint8Array(3e7)); };
`,
  policy: { version: 1, limits: { responseBytes: 100_000 } },
  expect: { codes: ['ENDPOINT_RESPONSE_TOO_LARGE', 'ENDPOINT_MEMORY', 'ENDPOINT_ERROR'] },
};
