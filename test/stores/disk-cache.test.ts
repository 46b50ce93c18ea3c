import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDiskCache } from '../../src/stores/disk-cache.ts';
import { describeCacheStore } from '../contracts/cache-store.ts';

const temporary = () => mkdtemp(join(tmpdir(), 'cloister-cache-'));

describeCacheStore('the disk cache', async (maxBytes) => {
  let time = 1_000_000;
  const folder = await temporary();
  const cache = await openDiskCache({ folder, maxBytes, now: () => time });
  return {
    cache,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    async dispose() {
      await cache.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describe('the folder of the disk cache', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await temporary();
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (maxBytes = 100_000) => openDiskCache({ folder, maxBytes, now: () => 0 });

  it('is created when missing', async () => {
    const cache = await openDiskCache({ folder: join(folder, 'a', 'b'), maxBytes: 100, now: () => 0 });
    await cache.set('k', 'v', 1000);
    expect(await cache.get('k')).toBe('v');
    await cache.close();
  });

  it('is accessible for its owner only, and so are the entries', async () => {
    const made = join(folder, 'made');
    const cache = await openDiskCache({ folder: made, maxBytes: 1000, now: () => 0 });
    await cache.set('k', 'v', 1000);
    await cache.close();
    const [entry = ''] = await readdir(made);
    const modes = [await stat(made), await stat(join(made, entry))].map(({ mode }) => mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('contains one file per entry, named by a hash', async () => {
    const cache = await open();
    await cache.set('../../etc/passwd', 'v', 1000);
    await cache.close();
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.entry$/)]);
  });

  it('is cleared of entries of an earlier run and of nothing else', async () => {
    const first = await open();
    await first.set('k', 'v', 1000);
    await first.close();
    await writeFile(join(folder, `${'0'.repeat(64)}.entry.7`), 'half');
    await writeFile(join(folder, 'precious.txt'), 'mine');
    const second = await open();
    await second.close();
    expect(await second.get('k')).toBeUndefined();
    expect(await readdir(folder)).toEqual(['precious.txt']);
    expect(await readFile(join(folder, 'precious.txt'), 'utf8')).toBe('mine');
  });

  it('loses the files of evicted entries', async () => {
    const cache = await open(1000);
    await cache.set('a', 'x'.repeat(600), 1000);
    await cache.set('b', 'x'.repeat(600), 1000);
    await cache.close();
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('counts as empty when the folder is removed', async () => {
    const cache = await open();
    await cache.set('a', '1', 1000);
    await rm(folder, { recursive: true });
    expect(await cache.get('a')).toBeUndefined();
    await cache.set('b', '2', 1000);
    expect(await cache.get('b')).toBeUndefined();
    await cache.close();
  });
});
