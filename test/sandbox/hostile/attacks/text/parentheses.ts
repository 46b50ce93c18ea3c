// Parsers recurse; their native stack is finite.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a megabyte of parentheses',
  source: 'x = '.concat('('.repeat(499_000), ')'.repeat(499_000)),
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
