// What is buffered until the end counts while it is written.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'res.write for ever',
  source: `
module.exports.get = function (req, res) { for (;;) res.write('x'.repeat(10000)); };
`,
  policy: { version: 1, limits: { cpuMs: 500, wallMs: 1000, responseBytes: 100_000 } },
  expect: { codes: ['ENDPOINT_RESPONSE_TOO_LARGE', 'ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY'] },
};
