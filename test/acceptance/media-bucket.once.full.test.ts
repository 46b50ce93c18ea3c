// Media over HTTP with the files in a bucket: upload, download in parts, a clash of names, deletion.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PICTURES, startMediaServer } from '../helpers/app/media-server.ts';
import {
  isS3ServerInstalled,
  launchS3Server,
  objectsIn,
  type S3Server,
} from '../helpers/store/redis-and-s3.ts';

const PREFIX = 'workspace/media/1.0/library/pictures/';

describe.skipIf(!isS3ServerInstalled())('media in a bucket', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await launchS3Server();
  });
  afterAll(() => s3.stop());

  it('are uploaded, served in parts, and deleted with their records', async () => {
    const bucket = await s3.createBucket();
    const site = await startMediaServer({ media: { storage: 's3', pathFormat: 'none', s3: { ...bucket } } });
    onTestFinished(() => site.close());
    const objects = () => objectsIn(s3.client, bucket.bucketName, PREFIX);
    const file = (fileName: string, body: string | Uint8Array) => ({ fileName, type: 'text/plain', body });
    const { status, body } = await site.upload([
      file('a b.txt', 'first'),
      file('long.txt', Buffer.alloc(2_500_000, 'x')),
    ]);
    expect(status).toBe(201);
    const [first, second] = (body as { results: { _id: string; path: string; cloudUrl: string }[] }).results;
    expect(first).toMatchObject({
      path: `${PREFIX}a b.txt`,
      cloudUrl: `${bucket.endpoint}/${bucket.bucketName}/${PREFIX}a%20b.txt`,
    });
    expect(await objects()).toHaveLength(2);
    const get = async (path: string, range?: string) => {
      const headers = { authorization: `Bearer ${await site.adminToken()}`, ...(range && { range }) };
      const answer = await fetch(site.url + path, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await get(`${PICTURES}/a%20b.txt`)).toEqual({ status: 200, text: 'first' });
    expect(await get(`${PICTURES}/${first?._id}/file`, 'bytes=1-3')).toEqual({ status: 206, text: 'irs' });
    expect((await get(`${PICTURES}/${second?._id}/file`)).text).toHaveLength(2_500_000);
    expect((await site.inject('DELETE', `${PICTURES}/${first?._id}`)).status).toBe(204);
    await expect.poll(objects).toEqual([second?.path.slice(PREFIX.length)]);
    expect((await get(`${PICTURES}/a%20b.txt`)).status).toBe(404);
  });
});
