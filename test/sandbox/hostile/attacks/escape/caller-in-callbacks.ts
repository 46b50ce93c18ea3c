// Setters, getters and converters run inside the host's functions.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: "function.caller from callbacks of the host's functions",
  source: probe(`
function spy() {
  attempt('caller', () => spy.caller && outside(spy.caller));
  attempt('its arguments', () => spy.caller && spy.caller.arguments && [...spy.caller.arguments].map(outside).find(Boolean));
  return 'x-value';
}
const hostile = { toString: spy, valueOf: spy, toJSON: spy, [Symbol.toPrimitive]: spy };
for (const run of [
  () => res.setHeader(hostile, hostile), () => res.getHeader(hostile), () => console.log(hostile), () => new URL(hostile),
  () => btoa(hostile), () => atob(hostile), () => setTimeout(spy, hostile), () => structuredClone({ get a() { return spy(); } }),
  () => crypto.subtle.digest(hostile, new Uint8Array(1)), () => new TextEncoder().encode(hostile), () => require(hostile),
  () => new URLSearchParams({ [Symbol.iterator]: spy }), () => res.status(hostile), () => res.type(hostile),
]) { try { await run(); } catch {} }
`),
  expect: HELD,
};
