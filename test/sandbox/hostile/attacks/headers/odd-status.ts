// 100, 101 and 999 change the meaning of what follows.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'status codes that are none',
  source: String.raw`
module.exports.get = function (req, res) {
  let accepted = 0;
  for (const code of [0, 100, 101, 103, 199, 600, 999, -1, 200.5, NaN, Infinity, '200\r\nx: y', {}, null, 2n]) {
    try { res.status(code); accepted += 1; res.statusCode = 200; } catch {}
    try { res.statusCode = code; if (res.statusCode !== 200) accepted += 1; } catch {}
  }
  res.statusCode = 200;
  res.end(String(accepted));
};
`,
  expect: { status: 200, body: '0' },
};
