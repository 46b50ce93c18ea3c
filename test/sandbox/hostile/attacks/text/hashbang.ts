// It is a comment on the first line of a file, and an error elsewhere.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hashbang',
  source: "#!/usr/bin/env node\nmodule.exports.get = function (req, res) { res.end('ok'); };",
  expect: { codes: ['ENDPOINT_INVALID'], orBytes: 10 },
};
