// Texts for the server must be quoted by code that the guest cannot reach.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'replaced JSON.stringify and String',
  source: `
try { JSON.stringify = () => '[299,[["x-pwned","1"]],"text"]'; } catch {}
try { JSON.parse = () => ({ pwned: true }); } catch {}
try { globalThis.String = () => 'pwned'; } catch {}
module.exports.get = function (req, res) {
  res.setHeader('x-quote', 'a"b');
  res.end('ok');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-quote': 'a"b' } },
};
