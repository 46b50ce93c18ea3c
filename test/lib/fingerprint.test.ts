import { expect, test } from 'vitest';
import { fingerprint } from '../../src/lib/fingerprint.ts';

test('is the SHA-256 of the text as UTF-8', () => {
  expect(fingerprint('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(fingerprint('ü')).toBe(fingerprint('\u00fc'));
  expect(fingerprint('ü')).not.toBe(fingerprint('u\u0308'));
});
