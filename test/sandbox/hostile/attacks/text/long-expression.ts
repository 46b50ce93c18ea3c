// Left-deep trees recurse in every visitor.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an expression of three hundred thousand terms',
  source: `module.exports.get = function (req, res) { res.end(String(${'1+'.repeat(300_000)}1)); };`,
  expect: { codes: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED', 'ENDPOINT_ERROR'], orBytes: 10 },
};
