import { expect, it } from 'vitest';
import { createMediaRecord } from '../../src/media/media-record.ts';

const FILE = {
  key: '1.0/library/pictures/2026/11/22/ünï b.png',
  originalFileName: '../ünï b.png',
  mimetype: 'image/png',
  size: 7,
  dimensions: { width: 4, height: 3 },
};
const DISK = { pathOf: (key: string) => key, cloudUrlOf: () => undefined };
const BUCKET = {
  pathOf: (key: string) => `prefix/${key}`,
  cloudUrlOf: (key: string) => `https://bucket.example.org/${key}`,
};

it('a record says what is known of the file, and no more', () => {
  expect(createMediaRecord(FILE, { store: DISK, publicUrl: undefined })).toEqual({
    fileName: 'ünï b.png',
    originalFileName: '../ünï b.png',
    mimetype: 'image/png',
    width: 4,
    height: 3,
    path: FILE.key,
    contentLength: 7,
    url: '/1.0/library/pictures/2026/11/22/%C3%BCn%C3%AF%20b.png',
  });
  const unknown = createMediaRecord(
    { ...FILE, dimensions: undefined },
    { store: DISK, publicUrl: undefined },
  );
  expect(Object.keys(unknown)).not.toContain('width');
});

it('a record of a file in a bucket has the address of the object', () => {
  const record = createMediaRecord(FILE, { store: BUCKET, publicUrl: 'https://api.example.org/base/' });
  expect(record).toMatchObject({
    path: `prefix/${FILE.key}`,
    cloudUrl: `https://bucket.example.org/${FILE.key}`,
    url: 'https://api.example.org/base/1.0/library/pictures/2026/11/22/%C3%BCn%C3%AF%20b.png',
  });
});
