// Natives syntax reaches the engine.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'V8 intrinsics',
  source: `
module.exports.get = function (req, res) { res.end(String(%GetOptimizationStatus(module))); };
`,
  expect: { refused: ['ENDPOINT_SYNTAX'] },
};
