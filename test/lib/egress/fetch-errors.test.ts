import { expect, test } from 'vitest';
import { FetchFailed, FetchRefused } from '../../../src/lib/egress/fetch-errors.ts';

test('each says why', () => {
  const cause = new Error('ECONNREFUSED');
  expect(new FetchRefused('grant', 'http://a')).toMatchObject({ reason: 'grant', origin: 'http://a' });
  expect(new FetchFailed('connection', cause)).toMatchObject({ reason: 'connection', cause });
});
