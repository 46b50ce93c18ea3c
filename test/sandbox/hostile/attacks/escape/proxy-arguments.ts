// A proxy sees what is read from it, and by whom.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'proxies as arguments of every host function',
  source: probe(`
const trap = new Proxy({}, {
  get(target, key) {
    if (key === 'receiver') return undefined;
    return (...args) => { args.forEach((arg) => attempt('argument of ' + String(key), () => outside(arg))); return 'x-a'; };
  },
  has: () => true,
  ownKeys: () => ['a'],
  getOwnPropertyDescriptor: () => ({ value: 'b', enumerable: true, configurable: true }),
});
const callable = new Proxy(function () {}, { apply(target, self, args) { attempt('this', () => outside(self)); args.forEach((arg) => attempt('arg', () => outside(arg))); } });
for (const run of [
  () => res.setHeader(trap, trap), () => res.set(trap), () => res.status(trap), () => res.type(trap), () => console.log(trap), () => console.error(trap),
  () => setTimeout(callable, 0), () => queueMicrotask(callable), () => new URL(trap, trap), () => new URLSearchParams(trap),
  () => structuredClone(trap), () => btoa(trap), () => crypto.getRandomValues(trap), () => crypto.subtle.digest(trap, trap),
]) { try { await run(); } catch {} }
await new Promise((resolve) => setTimeout(resolve, 5));
`),
  expect: HELD,
};
