// A RangeError thrown inside a host function has been an escape before: it was made by the host.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'host functions called at the end of the stack',
  source: probe(`
const deep = function (run, depth) { try { return deep(run, depth + 1); } catch { try { run(); } catch (error) { attempt('error', () => outside(error)); } } };
for (const run of [() => new URL('http://a'), () => res.setHeader('x-a', '1'), () => console.log('x'), () => crypto.randomUUID(), () => require('fs'), () => structuredClone([])]) deep(run, 0);
`),
  expect: HELD,
};
