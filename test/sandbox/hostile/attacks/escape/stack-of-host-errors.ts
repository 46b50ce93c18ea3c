// A host function that throws shows path and stack of the host.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: "stacks and messages of the host's errors",
  source: probe(String.raw`
for (const [name, run] of Object.entries({
  header: () => res.setHeader('\n', '1'), url: () => new URL('::'), require: () => require('fs'), atob: () => atob('%'),
  clone: () => structuredClone(() => 1), digest: () => crypto.subtle.digest('MD1', new Uint8Array(1)), status: () => res.status(999),
  random: () => crypto.getRandomValues(new Uint8Array(1e6)), timer: () => setTimeout('x', -1), decode: () => new TextDecoder('x-none'),
})) {
  try { await run(); } catch (error) {
    attempt(name, () => outside(error));
    attempt(name + ' text', () => { const t = String(error.message) + String(error.stack); return /\/[\w.-]+\/[\w.-]+\.(js|ts|node)|node:|isolated/.test(t) && t; });
  }
}
`),
  expect: HELD,
};
