// The module returned; its microtasks did not.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'microtasks without end while loading',
  source: `
const again = () => Promise.resolve().then(again);
again();
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
