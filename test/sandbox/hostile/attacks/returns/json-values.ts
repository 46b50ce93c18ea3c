// Cycles, BigInts, functions, proxies and toJSON.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'res.json and res.send of hostile values',
  source: `
const cycle = {}; cycle.self = cycle;
const values = [cycle, 10n, () => 1, Symbol('x'), { toJSON: () => cycle }, new Proxy([], { get() { throw 1; } }), { a: { toJSON() { throw { statusCode: 200 }; } } }, undefined];
module.exports.get = function (req, res) { const n = Number(req.url.split('?')[1]); if (n % 2) res.send(values[n]); else res.json(values[n]); };
`,
  requests: Array.from({ length: 8 }, (_, n) => ({ path: `?${n}` })),
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 200 },
};
