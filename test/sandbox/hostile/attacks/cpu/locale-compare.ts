// ICU works without interruption.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'localeCompare of megabytes',
  source: String.raw`
module.exports.get = function (req, res) { const a = '\u0344\u0301'.repeat(2e6); for (;;) a.localeCompare(a + 'x', 'sv', { sensitivity: 'base' }); };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED'] },
};
