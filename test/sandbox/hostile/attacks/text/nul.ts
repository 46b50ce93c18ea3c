// A NUL ends a string in C.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'NUL in the code',
  source: "module.exports.get = function (req, res) { res.end('ok'); };\u0000require('fs')",
  expect: { refused: ['ENDPOINT_INVALID'] },
};
