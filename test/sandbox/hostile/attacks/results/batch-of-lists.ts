// A few kilobytes in its isolate, for every document of a batch a hundred megabytes out here, if they were parsed.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'three million lists for each of a thousand documents',
  source: `
const row = Array(1000).fill([]);
module.exports = () => ({ title: Array(3000).fill(row) });
`,
  hook: 'beforeCreate',
  requests: [
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Array(1000).fill({ title: 'a' })),
    },
  ],
  expect: { codes: ['API-0002'] },
};
