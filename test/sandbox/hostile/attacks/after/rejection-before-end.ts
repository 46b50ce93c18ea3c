// Only the handler's own promise decides.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a rejection that nobody awaits, then an answer',
  source: `
module.exports.get = function (req, res) { Promise.reject(new Error('ignored')); setTimeout(() => res.end('ok'), 2); };
`,
  expect: { status: 200, body: 'ok' },
};
