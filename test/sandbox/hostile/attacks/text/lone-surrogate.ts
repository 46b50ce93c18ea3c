// Hashes, files and engines disagree about them.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'bytes that are no UTF-8',
  source: "module.exports.get = function (req, res) { res.end('\ud800'); };",
  expect: { codes: ['BAD_REQUEST', 'ENDPOINT_INVALID'], orBytes: 10 },
};
