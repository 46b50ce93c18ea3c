// The plainest way to fill a heap.
import { type Attack, PATIENT } from '../../attack.ts';

export const attack: Attack = {
  title: 'a list that grows for ever',
  source: `
module.exports.get = function (req, res) { const all = []; for (;;) all.push({ a: all.length, b: [1, 2, 3] }); };
`,
  policy: { version: 1, limits: { ...PATIENT, heapMb: 32 } },
  expect: { codes: ['ENDPOINT_MEMORY'] },
};
