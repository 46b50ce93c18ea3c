// Copying one out aborts the process by an assertion.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a Float16Array as result',
  source: `
module.exports.get = function (req, res) { return typeof Float16Array === 'undefined' ? res.end('absent') : new Float16Array(4); };
`,
  expect: { codes: ['ENDPOINT_ERROR', 'ENDPOINT_TIMEOUT'], orBytes: 100 },
};
