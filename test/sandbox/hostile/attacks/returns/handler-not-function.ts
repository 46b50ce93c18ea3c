// They are not called, and make no method.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'handlers that are no functions',
  source: `
module.exports.post = 'text';
module.exports.put = { call() {} };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  requests: [{ method: 'POST' }, { method: 'PUT' }, { method: 'GET' }],
  expect: [{ codes: ['METHOD_NOT_ALLOWED'] }, { codes: ['METHOD_NOT_ALLOWED'] }, { status: 200, body: 'ok' }],
};
