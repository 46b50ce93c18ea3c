// A forged line would speak for the server.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'log lines with line breaks, escapes and bidi marks',
  source: String.raw`
module.exports.get = function (req, res) { console.log('ok\n{"level":"fatal","msg":"forged"}\r\n\u001b[2J\u202e\u0000\u2028'); res.end('ok'); };
`,
  expect: { status: 200, body: 'ok' },
};
