// The facades must not be steered by members that the guest defines on them.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'changes of req, res and console by definition of members',
  source: `
module.exports.get = function (req, res) {
  for (const target of [req, res, console]) {
    for (const key of ['statusCode', 'headers', '_headers', 'end', 'body', 'finished', 'headersSent', 'log', 'toJSON', 'then', '0', 'length']) {
      try { Object.defineProperty(target, key + '_', { get() { throw new Error('read'); } }); } catch {}
    }
  }
  res.setHeader('x-one', '1');
  res.end('ok');
};
`,
  expect: { status: 200, body: 'ok', headers: { 'x-one': '1' } },
};
