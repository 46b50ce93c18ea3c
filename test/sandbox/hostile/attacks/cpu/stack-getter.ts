// The same through the stack.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'an error whose stack never returns',
  source: `
module.exports.get = function (req, res) { const error = new Error('x'); Object.defineProperty(error, 'stack', { get() { for (;;); } }); Object.defineProperty(error, 'name', { get() { for (;;); } }); throw error; };
`,
  policy: BOMB,
  expect: { codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'] },
};
