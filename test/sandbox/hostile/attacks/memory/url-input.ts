// URLs are parsed outside the isolate: what crosses must be capped first.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'a URL of a hundred megabytes',
  source: `
module.exports.get = function (req, res) { res.end(String(new URL('http://a/' + 'x'.repeat(1e8)).href.length).padEnd(200, '!')); };
`,
  policy: BOMB,
  expect: STARVED,
};
