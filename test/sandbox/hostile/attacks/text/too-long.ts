// Refused before anything reads it.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'code above the size limit',
  source: `//${'x'.repeat(1_100_000)}`,
  expect: { refused: ['PAYLOAD_TOO_LARGE'] },
};
