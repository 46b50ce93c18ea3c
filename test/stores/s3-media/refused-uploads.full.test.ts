// Uploads to a bucket that are refused.
import { afterAll, beforeAll, describe } from 'vitest';
import { refusedUploadContract } from '../../contracts/refused-uploads.ts';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../../helpers/store/redis-and-s3.ts';
import { s3Media } from './workbench.ts';

describe.skipIf(!isS3ServerInstalled())('with a real S3 server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  refusedUploadContract(async () => s3Media(await server.createBucket()));
});
