// It is a comment on the first line of a file, and an error elsewhere.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hashbang',
  source: `
#!/usr/bin/env node
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
