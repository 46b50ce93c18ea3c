// Each is within the limits: it is their sum that has no room.
import type { Attack } from '../../attack.ts';

const BATCH = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(Array(1000).fill({ title: 'a' })),
};

export const attack: Attack = {
  title: 'five megabytes of text for each of a thousand documents',
  source: `
const text = 'x'.repeat(5e6);
module.exports = () => ({ title: text });
`,
  hook: 'beforeCreate',
  requests: [BATCH],
  expect: { codes: ['API-0002', 'ENDPOINT_BUSY'] },
};
