// A bootstrap that uses for…of or spread after guest code ran hands its lists to the guest.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hijacked array iterator',
  source: `
try { Object.getPrototypeOf([][Symbol.iterator]()).next = function () { return { done: true }; }; } catch {}
try { Array.prototype[Symbol.iterator] = function () { return { next: () => ({ done: true }) }; }; } catch {}
module.exports.get = function (req, res) {
  res.setHeader('x-one', '1');
  res.setHeader('x-two', '2');
  res.end('ok');
};
`,
  expect: { status: 200, headers: { 'x-one': '1', 'x-two': '2' }, body: 'ok' },
};
