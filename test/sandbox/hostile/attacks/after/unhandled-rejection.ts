// One once turned a finished request into an error.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'unhandled rejections after the answer',
  source: `
module.exports.get = function (req, res) { res.end('ok'); Promise.reject(new Error('late')); Promise.reject({ get message() { throw 1; } }); (async () => { throw null; })(); };
`,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'ok' },
};
