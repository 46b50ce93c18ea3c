// Delivered images beside what a scrape tells of renderings and of the cache of variants.
import { expect, it } from 'vitest';
import { CacheCounts } from '../../src/metrics/cache-counts.ts';
import { ImageCounts } from '../../src/metrics/image-counts.ts';
import { startDelivery } from '../helpers/app/delivery.ts';
import { quadrants } from '../helpers/fixtures/images.ts';
import { parseScrape, sumOf } from './scrape.ts';

it('renderings are timed, and variants counted as found or not', async () => {
  const { app, inject, asAdmin } = await startDelivery({
    files: { 'a.png': await quadrants({ width: 80, height: 60 }), 'broken.png': 'no image' },
    recipes: { small: { path: '', settings: { width: 20, format: 'png' } } },
  });
  const statuses: number[] = [];
  for (const path of [
    '/small/a.png',
    '/small/a.png',
    '/small/a.png',
    '/small/broken.png',
    '/small/none.png',
  ]) {
    statuses.push((await inject('GET', path)).status);
  }
  expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
  const samples = parseScrape((await asAdmin('GET', '/metrics')).text);
  const variants = (result: string) =>
    sumOf(samples, 'cloister_cache_requests_total', { cache: 'variants', result });
  expect([variants('hit'), variants('miss')]).toEqual([2, 2]);
  expect(sumOf(samples, 'cloister_render_duration_seconds_count')).toBe(2);
  expect(sumOf(samples, 'cloister_render_queue_length')).toBe(0);
  await app.inject('GET', '/hello');
});

it('the queue of renderings is read when somebody asks', () => {
  const counts = new ImageCounts(new CacheCounts());
  expect(counts.readQueue()).toEqual([{ labels: {}, value: 0 }]);
  let waiting = 3;
  counts.watch({ waiting: () => waiting, running: () => 2 });
  expect(counts.readQueue()).toEqual([{ labels: {}, value: 3 }]);
  expect(counts.queue()).toEqual({ waiting: 3, running: 2 });
  waiting = 1;
  expect(counts.readQueue()).toEqual([{ labels: {}, value: 1 }]);
});
