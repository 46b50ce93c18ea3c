import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildConfig } from '../src/config/build-config.ts';
import { openBucket, openImages } from '../src/delivery-images.ts';
import { createLogger } from '../src/lib/logger.ts';
import { temporaryFolder } from './helpers/temporary-folder.ts';

const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });

test('images are opened without rendering anything, and closed again', async () => {
  const cwd = await temporaryFolder();
  const images = await openImages({ config: buildConfig(new Map()), cwd, logger, now: Date.now });
  expect(await images.flush('*', () => [])).toBe(0);
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
