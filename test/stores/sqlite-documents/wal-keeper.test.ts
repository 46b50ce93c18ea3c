import { expect, it } from 'vitest';
import { openJoined } from './joined.ts';
import { insertOf } from './workbench.ts';

it('moves a long log into the data file, on the writer thread', async () => {
  const { commits, wal, asked, errors, bench } = openJoined();
  const text = 'x'.repeat(200_000);
  for (let n = 0; n < 256; n += 1) await commits.commit([insertOf(n, { text })], {});
  await wal.idle();
  expect(asked).toContain('checkpoint');
  expect(errors).toEqual([]);
  const [, pages = 0, moved = 0] = bench.connection
    .statement('pragma wal_checkpoint(noop)')
    .get() as unknown as number[];
  expect(pages - moved).toBeLessThan(9000);
});

it('leaves a short log alone', async () => {
  const { commits, wal, asked } = openJoined();
  for (let n = 0; n < 130; n += 1) await commits.commit([insertOf(n, { n })], {});
  await wal.idle();
  expect(asked).toEqual([]);
});
