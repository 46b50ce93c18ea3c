// A synchronous module must find no promise at all, however it spells its name: that is why its requests may share an entry. One whose
// text has `require` is none, so that this one has only what it was called with.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'ways to a promise for a module that names none',
  source: `
const found = [];
const attempt = (name, run) => { try { const value = run(); if (value) found.push(name + ': ' + String(value).slice(0, 50)); } catch {} };
const P = ['Pro', 'mise'].join('');
const A = ['a', 'sync'].join('');
attempt('global', () => globalThis[P]);
attempt('code', () => Function('return ' + A + ' () => 1')());
attempt('eval', () => (0, eval)(A + ' () => 1'));
attempt('generator', () => Object.getPrototypeOf(function* () {}).constructor('yield 1'));
attempt('from', () => Array['from' + A[0].toUpperCase() + A.slice(1)]);
attempt('stack', () => globalThis[A[0].toUpperCase() + A.slice(1) + 'DisposableStack']);
attempt('iterator', () => Object.getOwnPropertyNames(Iterator.prototype).find((name) => name.includes('sync')));
const seen = new Set();
const queue = [globalThis, module, arguments, ...arguments, console, function () {}, function* () {}, [].values(), new Map().entries(), /x/, new Date(), Temporal];
module.exports.get = (req, res, next) => {
  queue.push(req, res, next);
  while (queue.length > 0 && seen.size < 30000) {
    const value = queue.pop();
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
    seen.add(value);
    if (typeof value.then === 'function' || Object.prototype.toString.call(value).includes(P) || String(value.name).includes(P)) found.push('reached ' + String(value.name));
    try { queue.push(Object.getPrototypeOf(value)); } catch {}
    for (const key of Reflect.ownKeys(value)) {
      try { const d = Object.getOwnPropertyDescriptor(value, key); queue.push(d.value, d.get, d.set); } catch {}
      try { if (typeof value[key] !== 'function') queue.push(value[key]); } catch {}
    }
  }
  res.end(found.length === 0 ? 'held' : found.join());
};
`,
  expect: { status: 200, body: 'held' },
};
