// On a shared origin a cookie or a CORS header speaks for the whole server.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'cookies, CORS and HSTS without a grant',
  source: `
module.exports.get = function (req, res) {
  for (const [name, value] of Object.entries({ 'Set-Cookie': 'admin=1', 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Credentials': 'true', 'Strict-Transport-Security': 'max-age=1', 'Content-Security-Policy': "default-src *", 'X-Content-Type-Options': 'sniff', 'WWW-Authenticate': 'Basic', 'Clear-Site-Data': '"*"' })) {
    res.setHeader(name, value);
  }
  res.end('ok');
};
`,
  expect: {
    status: 200,
    body: 'ok',
    headers: {
      'set-cookie': null,
      'access-control-allow-origin': null,
      'access-control-allow-credentials': null,
      'strict-transport-security': null,
      'content-security-policy': /sandbox/,
      'x-content-type-options': 'nosniff',
    },
  },
};
