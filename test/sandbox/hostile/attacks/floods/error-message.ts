// Messages are cut where they are made.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an error with a message of a hundred megabytes',
  source: `
module.exports.get = function (req, res) { throw new Error('x'.repeat(1e8)); };
`,
  policy: { version: 1, limits: { cpuMs: 1000, wallMs: 3000, heapMb: 200 } },
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_MEMORY', 'ENDPOINT_TIMEOUT'] },
};
