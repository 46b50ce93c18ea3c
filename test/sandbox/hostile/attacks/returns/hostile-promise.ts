// Waiting with the guest's then would hand it our functions.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a promise with its own then and constructor',
  source: String.raw`
module.exports.get = function (req, res) {
  const promise = Promise.resolve();
  const stolen = [];
  try { promise.then = (...args) => { stolen.push(...args); }; promise.constructor = { [Symbol.species]: function (run) { run((v) => stolen.push(v), () => {}); } }; } catch {}
  setTimeout(() => res.end(stolen.some((f) => f instanceof Function && !/native|^\(?v\)? =>/.test(String(f)) && Object.isExtensible(f)) ? 'stolen' : 'ok'), 2);
  return promise;
};
`,
  expect: { status: 200, body: 'ok' },
};
