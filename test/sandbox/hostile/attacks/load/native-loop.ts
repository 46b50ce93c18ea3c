// The engine's clock cannot stop it: the host is killed, the upload is refused.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a native loop while loading',
  source: `
Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
