// Only texts and bytes are bodies; their length is read once.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'res.end of objects, detached and lying buffers',
  source: `
const lying = new Uint8Array(4); try { Object.defineProperty(lying, 'length', { value: 1e9 }); Object.defineProperty(lying, 'byteLength', { value: 1e9 }); } catch {}
class Sub extends Uint8Array { get length() { return 1e9; } get byteLength() { return 1e9; } toBase64() { return '"],"x'; } toString() { return 'x'.repeat(1e6); } }
const values = [lying, new Sub(4), { length: 1e9 }, { toString: () => 'x'.repeat(100) }, new DataView(new ArrayBuffer(4)), new Proxy(new Uint8Array(4), {}), [1, 2, 3]];
module.exports.get = function (req, res) { res.end(values[Number(req.url.split('?')[1])]); };
`,
  requests: Array.from({ length: 7 }, (_, n) => ({ path: `?${n}` })),
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 200 },
};
