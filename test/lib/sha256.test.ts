import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/lib/sha256.ts';

test('sha256Hex hashes the UTF-8 bytes of a text', () => {
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex('ü')).toBe(sha256Hex('\u00fc'));
  expect(sha256Hex('ü')).not.toBe(sha256Hex('u\u0308'));
});
