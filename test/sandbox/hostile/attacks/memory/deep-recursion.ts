// A stack overflow is an ordinary error of the guest.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'recursion without end',
  source: `
module.exports.get = function down(req, res) { return down(req, res) + 1; };
`,
  expect: { codes: ['ENDPOINT_ERROR'] },
};
