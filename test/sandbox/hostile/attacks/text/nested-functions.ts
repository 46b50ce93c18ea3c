// The same for scopes.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'fifty thousand nested functions',
  source: '(function(){'.repeat(50_000).concat('})'.repeat(50_000)),
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
