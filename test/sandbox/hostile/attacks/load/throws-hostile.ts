// The message of the refusal is made from it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code that throws a hostile value while loading',
  source: `
throw { get message() { throw this; }, get stack() { throw this; }, toString() { throw this; }, get constructor() { throw this; } };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
