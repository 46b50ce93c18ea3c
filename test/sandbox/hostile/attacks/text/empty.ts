// It would be an endpoint that answers nothing.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'no code at all',
  source: '',
  expect: { refused: ['ENDPOINT_INVALID', 'BAD_REQUEST'] },
};
