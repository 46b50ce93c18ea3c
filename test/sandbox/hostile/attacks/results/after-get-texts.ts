// It replaces the answers to many clients at once.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that answers every read with four megabytes',
  source: `
const texts = Array(40).fill('x'.repeat(1e5));
module.exports = (obj) => ({ results: texts.map((title) => ({ title })), metadata: obj.metadata });
`,
  hook: 'afterGet',
  requests: Array(3).fill({}),
  atOnce: true,
  expect: { codes: ['API-0002', 'ENDPOINT_BUSY'], orBytes: 10_000_000 },
};
