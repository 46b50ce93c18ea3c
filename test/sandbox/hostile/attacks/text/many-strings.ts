// Constant pools of the compiler.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hundred thousand different literals',
  source: `module.exports.get = function (req, res) { res.end('ok'); };[${Array.from({ length: 100_000 }, (_, n) => `'s${n}'`).join()}]`,
  expect: { codes: ['ENDPOINT_INVALID', 'ENDPOINT_TIMEOUT'], orBytes: 10 },
};
