// Keys of media files: which are valid, and how they relate to the `path` of a record.
import { describe, expect, it } from 'vitest';
import { bucketKeyPrefix, isMediaKey, mediaKeyOfPath } from '../../src/stores/media-keys.ts';

describe('keys of media files', () => {
  it.each(['a', '1.0/library/media/a.txt', '1/..a/b..', '1/ü b&%.png', `1/${'x'.repeat(255)}`, '1/.uploads'])(
    'may be %j',
    (key) => expect(isMediaKey(key)).toBe(true),
  );

  it.each([
    ...['', '.', '..', '/a', 'a/', 'a//b', 'a/./b', 'a/../b', 'a\\b', 'a\0b', 'a\nb', 'a\u007fb', 'a\ud800b'],
    ...['.uploads', '.uploads/a', '.Uploads/a', `a/${'ü'.repeat(128)}`, `${'long/'.repeat(200)}a`],
    '.replaced-20260101/a.txt',
    '.Replaced-1',
    '.cloister-restore/a.txt',
  ])('may not be %j', (key) => expect(isMediaKey(key)).toBe(false));

  it('have the prefix of a bucket in front in records that a bucket wrote', () => {
    expect(bucketKeyPrefix('./workspace//media/')).toBe('workspace/media/');
    expect(bucketKeyPrefix('.')).toBe('');
    expect(mediaKeyOfPath('workspace/media/1.0/a.txt', 'workspace/media/')).toBe('1.0/a.txt');
    expect(mediaKeyOfPath('1.0/a.txt', 'workspace/media/')).toBe('1.0/a.txt');
    expect(mediaKeyOfPath('1.0/a.txt', '')).toBe('1.0/a.txt');
  });
});
