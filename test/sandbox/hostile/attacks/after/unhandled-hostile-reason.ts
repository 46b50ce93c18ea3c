// Reading the reason outside the timed call would hang.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'an unhandled rejection whose reason never returns',
  source: `
module.exports.get = function (req, res) { res.end('ok'); Promise.reject({ get message() { for (;;); }, get stack() { for (;;); }, toString() { for (;;); }, [Symbol.toPrimitive]() { for (;;); } }); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT'], orBytes: 10 },
};
