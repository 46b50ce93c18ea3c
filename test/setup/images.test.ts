import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildConfig } from '../../src/config/build-config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { openBucket, openImages } from '../../src/setup/images.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });

test('images are opened without rendering anything, and closed again', async () => {
  const cwd = await temporaryFolder();
  const images = await openImages({ config: buildConfig(new Map()), cwd, logger, now: Date.now });
  expect(
    await images.flush('*', {
      recipe: () => undefined,
      recipesOf: () => [],
      recipesLike: () => [],
      plain: () => undefined,
    }),
  ).toBe(0);
  await images.close();
});

test('a folder for variants that cannot be made is a failure of the store', async () => {
  const cwd = mkdtempSync(join(await temporaryFolder(), 'x'));
  writeFileSync(join(cwd, 'file'), '');
  const config = buildConfig(new Map([['delivery.cache.path', 'file/cache']]));
  await expect(openImages({ config, cwd, logger, now: Date.now })).rejects.toMatchObject({
    reason: 'unavailable',
  });
});

test('a bucket is opened without asking anything of it', async () => {
  const { s3 } = buildConfig(new Map()).images;
  const bucket = openBucket(s3, { prefix: '', logger, now: Date.now });
  expect(bucket.keyOf('a/b.jpg')).toBe('a/b.jpg');
  await bucket.close();
});

test('image variants are kept in a bucket that has an endpoint and no region', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/xml').end('<ListBucketResult></ListBucketResult>');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = once(server, 'request');
  const config = buildConfig(
    new Map<string, string | boolean>([
      ['delivery.cache.storage', 's3'],
      ['media.s3.accessKey', 'key'],
      ['media.s3.secretKey', 'the secret'],
      ['media.s3.bucketName', 'pictures'],
      ['media.s3.endpoint', `http://127.0.0.1:${(server.address() as AddressInfo).port}`],
      ['media.s3.forcePathStyle', true],
    ]),
  );
  const images = await openImages({ config, cwd: '/', logger, now: Date.now });
  // The variants in the bucket are listed when it is opened.
  const [{ headers }] = await request;
  expect(headers.authorization).toContain('/us-east-1/s3/');
  await images.close();
});
