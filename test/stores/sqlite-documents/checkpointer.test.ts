import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { openStoreParts } from './store-parts.ts';
import { idOf, insertThing, NS } from './test-database.ts';

it('the checkpointer writes a long log to the data file on the writer thread', async () => {
  const { commits, checkpointer, asked, errors, bench } = openStoreParts();
  const text = 'x'.repeat(200_000);
  for (let n = 0; n < 384; n += 1) await commits.commit([insertThing(n, { text })], {});
  await checkpointer.idle();
  expect(asked).toContain('passive');
  expect(errors).toEqual([]);
  const [, pages = 0, moved = 0] = bench.connection
    .statement('pragma wal_checkpoint(noop)')
    .get() as unknown as number[];
  expect(pages - moved).toBeLessThan(17_000);
});

it('the checkpointer leaves a short log alone', async () => {
  const { commits, checkpointer, asked } = openStoreParts();
  for (let n = 0; n < 130; n += 1) await commits.commit([insertThing(n, { n })], {});
  await checkpointer.idle();
  expect(asked).toEqual([]);
});

it('the checkpointer writes a short log to the data file while the disk still has space for it', async () => {
  let free = 10_000_000;
  const { commits, checkpointer, asked } = openStoreParts({ freeBytes: () => free });
  const write = (n: number) => commits.commit([insertThing(n, { text: 'x'.repeat(100_000) })], {});
  for (let n = 0; n < 10; n += 1) await write(n);
  await checkpointer.idle();
  expect(asked).toEqual([]);
  free = 2_000_000;
  await write(10);
  await checkpointer.idle();
  expect(asked).toEqual(['truncate']);
});

describe('on a full disk', () => {
  const full = () => {
    const cause = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    return Promise.reject(new StoreError('unavailable', { cause }));
  };

  it('truncates the log and repeats the write', async () => {
    const { checkpointer, asked } = openStoreParts();
    const attempts = [full, async () => 'written'];
    expect(await checkpointer.withDiskSpace(1, () => attempts.shift()!())).toBe('written');
    expect(asked).toEqual(['truncate']);
  });

  it('does not truncate again at once if that did not help', async () => {
    let attempts = 0;
    const { checkpointer, asked } = openStoreParts();
    const write = () => {
      attempts += 1;
      return full();
    };
    for (let n = 0; n < 3; n += 1)
      await expect(checkpointer.withDiskSpace(1, write)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(attempts).toBe(4);
    expect(asked).toEqual(['truncate']);
  });

  it('reserves space for checkpoints and removals', async () => {
    let free = 10_000_000;
    const { commits, checkpointer, asked } = openStoreParts({ freeBytes: () => free });
    await commits.commit([insertThing(1, { text: 'x'.repeat(100_000) })], {});
    free = 400_000;
    await expect(commits.commit([insertThing(2, {})], {})).rejects.toMatchObject({ reason: 'unavailable' });
    await commits.commit([{ kind: 'remove', ns: NS, id: idOf(1), v: 0 }], {});
    free = 10_000_000;
    await commits.commit([insertThing(2, {})], {});
    await checkpointer.idle();
    expect(asked).toContain('truncate');
  });

  it('accepts a commit of many removals', async () => {
    let free = 10_000_000;
    const { commits, checkpointer } = openStoreParts({ freeBytes: () => free });
    const many = Array.from({ length: 40 }, (_, n) => n);
    await commits.commit(
      many.map((n) => insertThing(n, { text: 'x'.repeat(2000) })),
      {},
    );
    free = 400_000;
    await expect(commits.commit([insertThing(100, {})], {})).rejects.toMatchObject({ reason: 'unavailable' });
    await commits.commit(
      many.map((n) => ({ kind: 'remove', ns: NS, id: idOf(n), v: 0 })),
      {},
    );
    await checkpointer.idle();
  });

  it('passes other errors on', async () => {
    const { checkpointer, asked } = openStoreParts();
    const write = () => Promise.reject(new StoreError('conflict'));
    await expect(checkpointer.withDiskSpace(1, write)).rejects.toMatchObject({ reason: 'conflict' });
    expect(asked).toEqual([]);
  });
});
