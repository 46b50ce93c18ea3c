// Loading is timed; the upload is refused.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code that never finishes loading',
  source: `
for (;;);
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
