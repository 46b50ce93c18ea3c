// An endpoint that answers nothing is a mistake worth a message.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code without any handler',
  source: `
const nothing = 1;
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
