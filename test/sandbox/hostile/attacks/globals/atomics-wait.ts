// It blocks the thread.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'Atomics.wait for ever',
  source: `
module.exports.get = function (req, res) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); };
`,
  expect: { codes: ['ENDPOINT_ERROR'] },
};
