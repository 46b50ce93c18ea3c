// Bytes are counted, not characters.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an answer one byte over the limit, in characters of three bytes',
  source: `
module.exports.get = function (req, res) { res.setHeader('content-type', 'text/plain; charset=utf-8'); res.end('€'.repeat(1000) + (req.url.includes('?') ? 'x' : '')); };
`,
  policy: { version: 1, limits: { responseBytes: 3000 } },
  requests: [{}, { path: '?more' }],
  expect: [{ status: 200, body: /^€{1000}$/ }, { codes: ['ENDPOINT_RESPONSE_TOO_LARGE'] }],
};
