// Its message is shown: cut, on one line, without what turns a text around.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that throws a code and a message for the client',
  source: String.raw`
module.exports = function () { throw Object.assign(new Error('no\r\nx: y\u0000\u202e' + 'x'.repeat(1e6)), { code: 'UNAUTHORIZED\r\nx', statusCode: 200, status: 200 }); };
`,
  hook: 'beforeCreate',
  expect: { status: 400, body: /^[ -\u2029\u202f-\uffff]{1,2000}$/ },
};
