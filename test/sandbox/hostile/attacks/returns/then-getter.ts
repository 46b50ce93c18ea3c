// It runs while the host asks whether the value is a promise.
import { type Attack, BOMB, TIMEOUT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a getter named then',
  source: `
module.exports.get = function (req, res) { return { get then() { for (;;); } }; };
`,
  policy: BOMB,
  expect: TIMEOUT,
};
