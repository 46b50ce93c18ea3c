// A second length or a chunked coding lets one answer become two.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'framing headers',
  source: `
module.exports.get = function (req, res) {
  for (const [name, value] of Object.entries({ 'Content-Length': '99999', 'Transfer-Encoding': 'chunked', Connection: 'upgrade', Upgrade: 'h2c', Trailer: 'x-a', TE: 'trailers', 'Keep-Alive': 'timeout=999', Date: 'never' })) {
    try { res.setHeader(name, value); } catch {}
  }
  res.end('ok');
};
`,
  expect: {
    status: 200,
    body: 'ok',
    headers: { 'transfer-encoding': null, upgrade: null, trailer: null, te: null, 'content-length': '2' },
  },
};
