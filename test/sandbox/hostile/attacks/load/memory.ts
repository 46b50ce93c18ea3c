// Loading has the same memory; the upload is refused.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code that fills the memory while loading',
  source: `
const all = []; for (;;) all.push(new Array(1000).fill(all.length));
`,
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
