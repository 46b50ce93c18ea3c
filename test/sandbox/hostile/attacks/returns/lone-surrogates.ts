// They have no UTF-8; whatever frames them must not lose count.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'lone surrogates in bodies, headers and logs',
  source: String.raw`
module.exports.get = function (req, res) { console.log('\ud800'); try { res.setHeader('x-a', '\udc00'); } catch {} res.setHeader('content-type', 'text/plain; charset=utf-8'); res.end('a\ud800b'); };
`,
  expect: { status: 200, body: /^a\ufffd+b$/ },
};
