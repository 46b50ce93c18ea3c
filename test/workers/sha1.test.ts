import { expect, test } from 'vitest';
import { sha1 } from '../../src/workers/sha1.ts';

test('sha1 hashes the UTF-8 bytes of a text', () => {
  expect(sha1('test.jpg')).toBe('cb56752477cae6405f85b131872c60d21b967c6a');
  expect(sha1('ü')).toBe('94a759fd37735430753c7b6b80684306d80ea16e');
});
