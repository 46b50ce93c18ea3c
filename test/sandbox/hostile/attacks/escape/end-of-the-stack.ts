// Where the stack ends in the call of the host, the error is one of the host, with paths of the machine.
import { ALL_WALLS, type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'errors of the host at the end of the stack',
  source: probe(`
const note = (name, error) => found.length < 3 && attempt(name, () => {
  const text = String(error && error.message) + String(error && error.stack);
  return ['file:', 'node:', 'applySync', '/isolate.js', '/host.js'].some((part) => text.includes(part)) && text;
});
const deep = (name, run, depth) => {
  try { deep(name, run, depth + 1); } catch (error) { note(name, error); }
  try { run(); } catch (error) { note(name, error); }
};
const padded = (name, run, padding) => (padding > 0 ? padded(name, run, padding - 1) : deep(name, run, 0));
for (const [name, run] of Object.entries({
  uuid: () => crypto.randomUUID(), url: () => new URL('http://a/b'), log: () => console.log('x'.repeat(1000)),
  timer: () => setTimeout(() => {}, 1), btoa: () => btoa('a'), params: () => new URLSearchParams('a=b').toString(),
})) for (let padding = 0; padding < 2; padding += 1) padded(name, run, padding);
`),
  isolations: ALL_WALLS,
  expect: HELD,
};
