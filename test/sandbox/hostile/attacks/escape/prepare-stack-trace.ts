// CallSite.getFunction and getThis reach the frames of the host.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'Error.prepareStackTrace and CallSite',
  source: probe(String.raw`
let sites = 0;
const prepare = (error, stack) => {
  for (const site of Array.isArray(stack) ? stack : []) {
    sites += 1;
    for (const name of ['getThis', 'getFunction', 'getEvalOrigin']) {
      attempt(name, () => { const got = site[name](); return got && got !== globalThis && outside(got); });
    }
    attempt('CallSite', () => outside(site));
    attempt('file', () => /^(file:|\/)/.test(String(site.getFileName())) && site.getFileName());
  }
  return 'x';
};
attempt('set', () => { Error.prepareStackTrace = prepare; });
attempt('define', () => { Object.defineProperty(Error, 'prepareStackTrace', { value: prepare }); });
for (const run of [() => null.x, () => res.setHeader('\n', '1'), () => new URL('::'), () => require('fs'), () => atob('%'), () => structuredClone(() => 1)]) {
  attempt('throws', () => { try { run(); } catch (error) { void error.stack; } });
}
attempt('capture', () => { const o = {}; Error.captureStackTrace(o); void o.stack; });
`),
  expect: HELD,
};
