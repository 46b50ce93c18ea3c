// The same for the scanner.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'fifty thousand nested template literals',
  source: '`${'.repeat(50_000).concat('1', '}`'.repeat(50_000)),
  expect: { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] },
};
