// Freezing does not stop private fields: they carry data, and fill the heap.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'private fields stamped on shared objects',
  source: `
class Base { constructor(target) { return target; } }
const make = () => class Stamp extends Base { #data = 'x'.repeat(1000); static has(target) { return #data in target; } };
module.exports.get = function (req, res) {
  let stamped = 0;
  for (const target of [Object.prototype, Array.prototype, globalThis, JSON, Reflect, Function.prototype, Promise]) {
    const Stamp = make();
    try { new Stamp(target); if (Stamp.has(target)) stamped += 1; } catch {}
  }
  // In a context of its own everything is new, and may be stamped.
  res.end(stamped === 0 || Object.isExtensible(Object.prototype) ? 'none' : 'stamped ' + stamped);
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
