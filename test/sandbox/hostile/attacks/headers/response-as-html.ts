// An answer on the server's origin must not act as its page.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'HTML with a script as an answer',
  source: `
module.exports.get = function (req, res) { res.setHeader('content-type', 'text/html'); res.end('<script>fetch("/api/clients")</script>'); };
`,
  expect: {
    status: 200,
    headers: { 'content-security-policy': /sandbox/, 'x-content-type-options': 'nosniff' },
    body: /script/,
  },
};
