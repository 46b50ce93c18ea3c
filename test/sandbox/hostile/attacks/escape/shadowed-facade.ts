// The status is read once and checked.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'res.statusCode as an accessor that answers differently each time',
  source: String.raw`
module.exports.get = function (req, res) {
  let reads = 0;
  try {
    Object.defineProperty(res, 'statusCode', { get() { reads += 1; return reads < 2 ? 200 : '200 OK\r\nx-injected: 1'; }, configurable: true });
  } catch {}
  res.end('ok');
};
`,
  expect: { codes: ['ENDPOINT_ERROR'], orBytes: 10 },
};
