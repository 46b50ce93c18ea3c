// It replaces the answer to a client.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that answers a read with a hundred megabytes',
  source: `
module.exports = function (obj) { return { results: Array.from({ length: 1e5 }, () => ({ title: 'x'.repeat(100) })), metadata: obj.metadata }; };
`,
  hook: 'afterGet',
  policy: { version: 1, limits: { responseBytes: 10_000 } },
  expect: { codes: ['API-0002'] },
};
