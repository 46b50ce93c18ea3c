// They belong to the turn that made them. Nothing is returned to `then`: a chain of promises would run out of memory first.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'microtasks after res.end',
  source: `
module.exports.get = function (req, res) { res.end('ok'); const again = () => { Promise.resolve().then(again); }; again(); };
`,
  policy: BOMB,
  requests: [{}, {}],
  expect: { codes: ['ENDPOINT_TIMEOUT'], orBytes: 10 },
};
