// Reading must be timed.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a settings getter that never returns',
  source: `
module.exports.model = { get settings() { for (;;); } };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
