// Anything can be thrown.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'thrown values of every kind',
  source: `
const values = [undefined, null, 0, '', Symbol('x'), 10n, () => 1, Object.create(null), { toString() { throw 1; } }, new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } }), Object.assign(new Error(), { message: { toString() { throw 1; } }, stack: 5 }), globalThis];
module.exports.get = function (req, res) { throw values[Number(req.url.split('?')[1])]; };
`,
  requests: Array.from({ length: 12 }, (_, n) => ({ path: `?${n}` })),
  expect: { codes: ['ENDPOINT_ERROR'] },
};
