// Each a native loop of its own.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'copyWithin, unshift and splice on a lying length',
  source: `
module.exports.get = function (req, res) {
  const name = req.url.slice(req.url.indexOf('?') + 1);
  Array.prototype[name].call({ length: 2 ** 53 - 10 }, 0, 1);
  res.end('done');
};
`,
  policy: BOMB,
  requests: [{ path: '?copyWithin' }, { path: '?unshift' }],
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
