// The limits of the request that ran last are those that count while something runs late.
import type { Attack } from '../../attack.ts';
import { LOOK, WARM_UP } from '../../late/look.ts';

const QUIET = { path: '?do=quiet', expect: { codes: ['ENDPOINT_TIMEOUT'] } };
const READ = { path: '?do=read', expect: { status: 200, body: 'read' }, log: [] };

export const attack: Attack = {
  title: 'a thenable that counts what the request behind it has left',
  source: `
${LOOK}
module.exports.get = (req, res) => {
  if (req.query.do === 'quiet') return void count(700, (n) => Symbol.for('quiet ' + n));
  if (req.query.do !== 'read') return look(req, res);
  res.end('read');
  return { then() { const left = count(2000, (n) => Symbol.for('left ' + n)); if (left < 1000) console.log('left ' + left); } };
};
`,
  policy: { version: 1, limits: { cpuMs: 1000 } },
  warmUp: WARM_UP,
  rounds: [Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? READ : QUIET))],
  expect: { status: 200 },
};
