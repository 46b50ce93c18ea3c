// Only an integer of 400 to 599 is taken from it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'next with hostile errors',
  source: String.raw`
const values = [{ statusCode: 200 }, { statusCode: '404\r\nx: y' }, { statusCode: 999 }, { statusCode: 404.5 }, { get statusCode() { throw 1; } }, new Proxy({}, { get() { throw 1; } }), 'text', { statusCode: { valueOf: () => 404 } }];
module.exports.get = function (req, res, next) { next(values[Number(req.url.split('?')[1])]); };
`,
  requests: Array.from({ length: 8 }, (_, n) => ({ path: `?${n}` })),
  expect: { codes: ['ENDPOINT_ERROR', 'NOT_FOUND'] },
};
