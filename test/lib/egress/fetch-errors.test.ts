import { expect, test } from 'vitest';
import { FetchFailedError, FetchRefusedError } from '../../../src/lib/egress/fetch-errors.ts';

test('each fetch error has a message with its reason', () => {
  const cause = new Error('ECONNREFUSED');
  expect(new FetchRefusedError('grant', 'http://a')).toMatchObject({ reason: 'grant', origin: 'http://a' });
  expect(new FetchFailedError('connection', cause)).toMatchObject({ reason: 'connection', cause });
});
