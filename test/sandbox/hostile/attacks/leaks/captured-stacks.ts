// The engine keeps a captured stack in a slot of its own, which freezing might not close; names of functions would be in it.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'stacks captured on, and set through accessors of, shared objects',
  source: `
const targets = [Array.prototype, Object.prototype, JSON, Error, Error.prototype, Function.prototype, Symbol, globalThis, Object.getPrototypeOf(function* () {})];
const own = Object.getOwnPropertyDescriptor(new Error(''), 'stack') || {};
const holder = {};
Error.captureStackTrace(holder);
const captured = Object.getOwnPropertyDescriptor(holder, 'stack') || {};
const accessors = [own, captured].filter((property) => property.get !== undefined);
module.exports.get = function (req, res) {
  const found = [];
  const each = (run) => targets.forEach((target) => accessors.forEach((accessor) => { try { run(target, accessor); } catch {} }));
  each((target, { get }) => { if (String(get.call(target)).includes('secret')) found.push('read'); });
  each((target, { set }) => set.call(target, 'secret'));
  each((target) => ({ secret() { Error.captureStackTrace(target); } }).secret());
  res.end(found.length === 0 ? 'none' : 'found');
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
