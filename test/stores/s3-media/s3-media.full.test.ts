// The media store in a bucket: the contract, and what only buckets have.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudUrl } from '../../../src/stores/s3-media/s3-media.ts';
import { mediaStoreContract } from '../../contracts/media-store.ts';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../../helpers/store/redis-and-s3.ts';
import { openInBucket } from './workbench.ts';

describe.skipIf(!isS3ServerInstalled())('with a real S3 server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  mediaStoreContract('s3', () => openInBucket(server));
});

describe('addresses of files in a bucket', () => {
  const keys = {
    accessKey: 'a',
    secretKey: 'b',
    bucketName: 'pictures',
    region: 'eu-west-1',
    forcePathStyle: false,
  };

  it('are those of AWS, or below the endpoint', () => {
    expect(cloudUrl(keys, 'workspace/media/1.0/a b&ü+(1).png')).toBe(
      'https://pictures.s3.amazonaws.com/workspace/media/1.0/a%20b%26%C3%BC%2B%281%29.png',
    );
    expect(cloudUrl({ ...keys, endpoint: 'https://s3.example.org/' }, 'a.png')).toBe(
      'https://s3.example.org/pictures/a.png',
    );
  });
});
