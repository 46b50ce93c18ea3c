// Conveniences set headers too.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'CR and LF in a redirect and a type',
  source: String.raw`
module.exports.get = function (req, res) { try { res.type('text/html\r\nx-injected: 1'); } catch {} res.redirect('/a\r\nset-cookie: b=c\r\n\r\n<script>'); };
`,
  expect: { status: 302, headers: { 'set-cookie': null, 'x-injected': null, location: /^\/a%0D%0A/ } },
};
