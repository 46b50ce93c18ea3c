// A rejection made outside would carry the host's prototype.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: "errors thrown by the host's promises",
  source: probe(`
for (const run of [() => crypto.subtle.digest('SHA-0', new Uint8Array(1)), () => fetch('http://127.0.0.1/'), () => Model('x').find({}), () => new Promise((r, j) => setTimeout(j, 1))]) {
  try { const value = await run(); attempt('value', () => outside(value)); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  expect: HELD,
};
