// Only JSON comes out.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that returns functions, cycles, BigInts and proxies',
  source: `
const cycle = {}; cycle.self = cycle;
const values = [null, 10n, cycle, 'text', 5, new Proxy({}, { ownKeys() { throw 1; } })];
module.exports = function (obj) { return values[Number(obj.title)]; };
`,
  hook: 'beforeCreate',
  requests: Array.from({ length: 6 }, (_, n) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"title":"${n}"}`,
  })),
  expect: { codes: ['API-0002', 'VALIDATION_FAILED', 'BAD_REQUEST', 'ERROR_NOT_IN_SCHEMA'] },
};
