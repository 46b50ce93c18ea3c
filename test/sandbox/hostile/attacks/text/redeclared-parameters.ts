// They shadow; they must not break the wrapper.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'declarations with the names of what is handed over',
  source: `
var require = 1; var console = 2; var process = 3; var emit, post, deliver, captured, start, ivm, job, head;
function setTimeout() {}
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { status: 200, body: 'ok' },
};
