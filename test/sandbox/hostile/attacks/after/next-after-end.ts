// The first one wins.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'next, end and throw in every order',
  source: `
module.exports.get = function (req, res, next) {
  if (req.url.endsWith('0')) { res.end('ok'); next(new Error('late')); next(); }
  if (req.url.endsWith('1')) { next(); res.end('late'); next(new Error('late')); }
  if (req.url.endsWith('2')) { res.end('ok'); throw new Error('late'); }
};
`,
  requests: [{ path: '?0' }, { path: '?1' }, { path: '?2' }],
  expect: [{ status: 200, body: 'ok' }, { codes: ['NOT_FOUND'] }, { status: 200, body: 'ok' }],
};
