// They are kept with every version, and listed.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'settings of fifty megabytes',
  source: `
module.exports.model = { settings: { authenticate: false, displayName: 'x'.repeat(5e7) } };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
