// It runs at upload, under the clock of loading.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a config function that never returns',
  source: `
module.exports.config = () => { for (;;); };
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
