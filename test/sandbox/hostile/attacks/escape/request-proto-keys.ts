// Query, body and parameters become objects of the guest; their keys may be anything.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: '__proto__ and constructor sent by the caller',
  source: `
module.exports.post = function (req, res) {
  const admin = ({}).admin || req.admin || (req.client && req.client.admin) || [].admin;
  res.end(admin ? 'dirty' : 'clean');
};
`,
  requests: [
    {
      method: 'POST',
      path: '?__proto__=a&constructor=b&__proto__[x]=c&toString=d',
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}',
    },
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '__proto__=1&__proto__=2&constructor=3&hasOwnProperty=4',
    },
  ],
  expect: { status: 200, body: 'clean' },
};
