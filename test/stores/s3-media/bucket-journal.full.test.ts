// Objects of uploads besides their bytes.
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUploadId } from '../../../src/stores/media-keys.ts';
import { Bucket } from '../../../src/stores/s3-media/bucket.ts';
import { BucketJournal, isReservation } from '../../../src/stores/s3-media/bucket-journal.ts';
import { all } from '../../contracts/media-cases.ts';
import {
  isS3ServerInstalled,
  launchS3Server,
  objectsIn,
  type S3Server,
} from '../../helpers/store/redis-and-s3.ts';

const ID = createUploadId(1_700_000_000_000, '0123456789abcdef');

describe.skipIf(!isS3ServerInstalled())('the journal of uploads to a bucket', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  async function open() {
    const settings = await server.createBucket();
    const bucket = new Bucket({ settings, maxSockets: 4 });
    const put = (Key: string, Body: string) =>
      server.client.send(new PutObjectCommand({ Bucket: settings.bucketName, Key, Body }));
    const objects = () => objectsIn(server.client, settings.bucketName, '');
    return { bucket, journal: new BucketJournal(bucket, 'p/', () => undefined), put, objects };
  }

  it('is read back, and says nothing where others wrote it', async () => {
    const { bucket, journal, put, objects } = await open();
    expect(await journal.read(ID)).toEqual({});
    await journal.write(ID, { key: '1/ü.txt', uploadId: 'x' });
    expect(await journal.read(ID)).toEqual({ key: '1/ü.txt', uploadId: 'x' });
    await put('p/.uploads/notes.json', 'notes');
    expect(await all(journal.ids())).toEqual([{ id: ID, begun: 1_700_000_000_000 }]);
    for (const text of ['{', 'null', '[]', '{"key":1}', '{"key":"../../other"}']) {
      await put(`p/.uploads/${ID}.json`, text);
      expect(await journal.read(ID)).toEqual({});
    }
    await journal.remove(ID);
    expect(await objects()).toEqual(['p/.uploads/notes.json']);
    await bucket.close();
  });

  it('reserves a name for one upload only', async () => {
    const { bucket, journal, objects } = await open();
    const other = createUploadId(1_700_000_000_001, '0123456789abcdef');
    const [first, second] = await Promise.all([
      journal.reserve(ID, 'p/1/a.txt'),
      journal.reserve(other, 'p/1/a.txt'),
    ]);
    expect([first === undefined, second === undefined].sort()).toEqual([false, true]);
    const winner = first === undefined ? other : ID;
    expect(await journal.isOf(winner, 'p/1/a.txt')).toBe(true);
    // A repeated request whose first answer was lost.
    expect(await journal.reserve(winner, 'p/1/a.txt')).toEqual({ etag: undefined });
    expect(isReservation((await bucket.head('p/1/a.txt'))!)).toBe(true);
    expect(await objects()).toEqual(['p/1/a.txt']);
    await bucket.close();
  });
});
