// What a handler returns is ignored, whatever it is.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'return values of every kind',
  source: `
const values = [() => 1, Symbol('x'), 10n, new Map(), new Uint8Array(8), new ArrayBuffer(8), globalThis, arguments, new Proxy({}, { get() { throw 1; } }), function* () {}, Object.create(null), new Error('x'), new Date(NaN), { __proto__: null, then: 1 }];
module.exports.get = function (req, res) { res.end('ok'); return values[Number(req.url.split('?')[1])]; };
`,
  requests: Array.from({ length: 14 }, (_, n) => ({ path: `?${n}` })),
  expect: { status: 200, body: 'ok' },
};
