// A file that goes, or is replaced, between being found and being sent is looked for again; nothing of it is a fault of the server.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openDiskMedia } from '../../src/stores/disk-media/disk-media.ts';
import { startDelivery } from '../helpers/app/delivery.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

/** Of more than 256 KB as an uncompressed PNG: such a variant is sent from the disk. */
const NOISE = await sharp({
  create: {
    width: 500,
    height: 500,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  },
})
  .png()
  .toBuffer();

test('rendered images are delivered beside flushes, each whole', async () => {
  const recipes = { thumbs: { settings: { width: 450, format: 'png' } } };
  const { inject, asAdmin, cwd } = await startDelivery({ files: { 'a.png': NOISE }, recipes });
  const first = await inject('GET', '/thumbs/a.png');
  expect(Number(first.headers['content-length'])).toBeGreaterThan(256 * 1024);
  const statuses = new Set<number>();
  const folder = join(cwd, '.cache/delivery');
  for (let round = 0; round < 12; round += 1) {
    const gets = Array.from({ length: 8 }, () => inject('GET', '/thumbs/a.png'));
    if (round % 2 === 0) await asAdmin('POST', '/api/flush', { pattern: '*' });
    // Or by hand, while answers are on their way.
    else for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    for (const { status } of await Promise.all(gets)) statuses.add(status);
  }
  expect([...statuses]).toEqual([200]);
});

test('a file of the folder that is replaced while it is asked for is delivered, the old one or the new', async () => {
  const contents = ['one', 'two!'].map((text) => text.repeat(2000));
  const { inject, cwd } = await startDelivery({ files: { 'a.css': contents[0] ?? '' } });
  const file = join(cwd, 'images/a.css');
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  for (let round = 1; round <= 30; round += 1) {
    const gets = Array.from({ length: 10 }, () => inject('GET', '/a.css'));
    for (let ticks = 0; ticks < round % 10; ticks += 1) await tick();
    writeFileSync(`${file}.new`, contents[round % 2] ?? '');
    renameSync(`${file}.new`, file);
    for (const { status, text } of await Promise.all(gets)) {
      expect(status).toBe(200);
      expect(contents).toContain(text);
    }
  }
});

test('a file that is found and never there is 503 in words of files, after a second look', async () => {
  const path = await temporaryFolder();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const disk = openDiskMedia({ path, prefix: '', log, now: Date.now, random: () => 'a'.repeat(16) });
  let reads = 0;
  const read = async () => {
    reads += 1;
    return undefined;
  };
  const specs = { '1.0/library/photos': { fields: {}, settings: { type: 'media', authenticate: ['POST'] } } };
  const { app, inject } = await startDelivery({ mediaStore: { ...disk, read }, specs });
  const body = formOf([{ fileName: 'a.css', type: 'text/css', body: 'a {}' }]).toString();
  const headers = { 'content-type': FORM_TYPE };
  const stored = await app.inject('POST', '/1.0/library/photos', { body, headers });
  const answer = await inject('GET', `/${stored.body.results[0].path}`);
  expect(answer).toMatchObject({
    status: 503,
    body: { success: false, errors: ['The file is being replaced'] },
    headers: { 'retry-after': '1', 'cache-control': 'no-store' },
  });
  expect(reads).toBe(2);
});
