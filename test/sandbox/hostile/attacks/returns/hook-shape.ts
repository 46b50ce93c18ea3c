// Only an object of handlers is an endpoint.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'an endpoint that is a function, a class, a string',
  source: `
module.exports = 'text';
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
