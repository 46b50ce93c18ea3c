// Prototypes are shared by everything in a realm.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'members added to every prototype',
  source: `
module.exports.get = function (req, res) {
  const targets = [Object, Function, Array, String, Number, Boolean, Symbol, Promise, RegExp, Map, Set, WeakMap, Date, Error, TypeError, Uint8Array, ArrayBuffer, DataView, Proxy, BigInt, Intl.Collator, JSON, Math, Reflect, Intl, globalThis, URL, URLSearchParams, TextEncoder];
  let marks = 0;
  for (const target of targets) for (const object of [target, target.prototype]) if (object) { if (Object.hasOwn(object, 'leaked')) marks += 1; try { object.leaked = 1; } catch {} try { Object.defineProperty(object, 'leaked', { value: 1 }); } catch {} }
  res.end(marks === 0 ? 'none' : String(marks));
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
