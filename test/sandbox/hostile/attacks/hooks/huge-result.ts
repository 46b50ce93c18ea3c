// What it returns has the limit of an answer.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a hook that returns a hundred megabytes',
  source: `
module.exports = function (obj) { return { title: 'x'.repeat(1e8) }; };
`,
  hook: 'beforeCreate',
  policy: { version: 1, limits: { responseBytes: 10_000 } },
  expect: { codes: ['API-0002'] },
};
