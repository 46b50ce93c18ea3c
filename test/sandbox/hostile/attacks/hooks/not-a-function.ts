// It is refused when it is posted.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that is no function',
  source: `
module.exports = { beforeCreate: 1 };
`,
  hook: 'beforeCreate',
  expect: { refused: ['ENDPOINT_INVALID'] },
};
