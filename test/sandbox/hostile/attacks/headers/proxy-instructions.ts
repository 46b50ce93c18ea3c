// X-Accel-Redirect and X-Sendfile make a proxy read files.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'headers that steer a proxy in front',
  source: `
module.exports.get = function (req, res) {
  for (const name of ['X-Accel-Redirect', 'X-Accel-Buffering', 'X-Sendfile', 'X-Lighttpd-Send-File', 'X-Reproxy-URL', 'X-Forwarded-For', 'X-Request-Id', 'X-Cache']) res.setHeader(name, 'mine');
  res.end('ok');
};
`,
  expect: {
    status: 200,
    body: 'ok',
    headers: {
      'x-accel-redirect': null,
      'x-sendfile': null,
      'x-lighttpd-send-file': null,
      'x-reproxy-url': null,
      'x-forwarded-for': null,
      'x-request-id': /^(?!mine$)/,
    },
  },
};
