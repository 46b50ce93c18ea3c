// The cache of rendered images on a real disk: restarts, damage, bounds.
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDiskVariants } from '../../../src/delivery/variants/disk-variants.ts';
import type { StoredVariant, VariantInfo } from '../../../src/delivery/variants/variant-store.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const INFO: VariantInfo = {
  contentType: 'image/webp',
  width: 3,
  height: 2,
  recipe: 'thumbnail',
  path: 'a.jpg',
  source: 'file:a.jpg',
  settings: '[]',
};
const KEY = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const LARGE = Buffer.alloc(600_000, 'large');

const openIn = (folder: string, maxBytes = 10_000_000) =>
  openDiskVariants({ folder, maxBytes, now: Date.now });

async function bodyOf(variant: StoredVariant | undefined, range?: { start: number; end: number }) {
  const pieces: Buffer[] = [];
  for await (const piece of await variant!.open(range)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

describe('variants on disk', () => {
  it.each([Buffer.from('small'), LARGE])(
    'come back, whole and in part, also after a restart',
    async (body) => {
      const folder = await temporaryFolder();
      const first = await openIn(folder);
      expect(await first.get(KEY)).toBeUndefined();
      await first.set(KEY, INFO, body);
      await first.close();
      const second = await openIn(folder);
      for (const store of [first, second]) {
        const found = await store.get(KEY);
        expect(found).toMatchObject({ info: INFO, size: body.length });
        expect((await bodyOf(found)).equals(body)).toBe(true);
        expect((await bodyOf(found, { start: 1, end: 3 })).equals(body.subarray(1, 4))).toBe(true);
      }
      await second.close();
    },
  );

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['cut short', (file) => truncate(file, 100)],
    ['empty', (file) => truncate(file, 0)],
    ['of another form', (file) => writeFile(file, 'nonsense')],
    [
      'changed in its last byte',
      async (file) => {
        const bytes = await readFile(file);
        bytes[bytes.length - 1]! ^= 1;
        await writeFile(file, bytes);
      },
    ],
  ])('that are %s count as missing and are removed', async (_name, damage) => {
    const folder = await temporaryFolder();
    const writer = await openIn(folder);
    await writer.set(KEY, INFO, LARGE);
    await writer.set(OTHER, INFO, Buffer.from('x'.repeat(500)));
    await writer.close();
    for (const key of [KEY, OTHER]) await damage(join(folder, `${key}.variant`));
    const reader = await openIn(folder);
    expect(await reader.get(KEY)).toBeUndefined();
    expect(await reader.get(OTHER)).toBeUndefined();
    await reader.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('are kept again after somebody has removed the folder', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder);
    await store.set(KEY, INFO, LARGE);
    await rm(folder, { recursive: true });
    expect(await store.get(KEY)).toBeUndefined();
    await store.set(KEY, INFO, LARGE);
    expect((await bodyOf(await store.get(KEY))).equals(LARGE)).toBe(true);
    await store.close();
  });

  it('stay within their bound, the least recently used go first', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder, 40_000);
    const keys = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(64));
    for (const key of keys.slice(0, 4)) await store.set(key, INFO, Buffer.alloc(7000, key));
    await store.get(keys[0]!);
    await store.set(keys[4]!, INFO, Buffer.alloc(13_000));
    await store.close();
    const left = (await readdir(folder)).map((name) => name[0]).sort();
    expect(left).toEqual(['0', '3', '4']);
  });

  it('that an earlier run left are counted, oldest first, and drafts are removed', async () => {
    const folder = await temporaryFolder();
    const earlier = await openIn(folder);
    for (const digit of ['1', '2', '3']) await earlier.set(digit.repeat(64), INFO, Buffer.alloc(7000));
    await earlier.close();
    await writeFile(join(folder, `${KEY}.variant.5-1`), 'half');
    await writeFile(join(folder, 'README'), 'not ours');
    const later = await openIn(folder, 17_000);
    const variants = async () => (await readdir(folder)).filter((name) => name.endsWith('.variant'));
    await expect.poll(variants).toHaveLength(2);
    await later.close();
    expect(await readdir(folder)).toContain('README');
    expect(await readdir(folder)).not.toContain(`${KEY}.variant.5-1`);
  });

  it('are removed where they match', async () => {
    const store = await openIn(await temporaryFolder());
    await store.set(KEY, INFO, Buffer.from('a'));
    await store.set(OTHER, { ...INFO, path: 'b.jpg' }, Buffer.from('b'));
    expect(await store.remove(({ path }) => path === 'a.jpg')).toBe(1);
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.get(OTHER)).toBeDefined();
    await store.close();
  });

  it('are all that a removal removes: other files stay, and a folder that is gone has none', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder);
    await store.set(KEY, INFO, Buffer.from('a'));
    await writeFile(join(folder, 'README'), 'not ours');
    expect(await store.remove(() => true)).toBe(1);
    expect(await readdir(folder)).toEqual(['README']);
    await rm(folder, { recursive: true });
    expect(await store.remove(() => true)).toBe(0);
    await store.close();
  });

  it('that are in memory are removed, too, where somebody has removed the folder', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder);
    for (const matches of ['all', () => true] as const) {
      await store.set(KEY, INFO, Buffer.from('a'));
      expect(await store.get(KEY)).toBeDefined();
      await rm(folder, { recursive: true });
      expect(await store.remove(matches)).toBe(1);
      expect(await store.get(KEY)).toBeUndefined();
    }
    await store.close();
  });

  it('with long paths are removed where they match', async () => {
    const store = await openIn(await temporaryFolder());
    await store.set(KEY, { ...INFO, path: 'x'.repeat(10_000) }, Buffer.from('a'));
    await store.set(OTHER, { ...INFO, path: 'y'.repeat(10_000) }, Buffer.from('a'));
    expect(await store.remove(({ path }) => path.startsWith('x'))).toBe(1);
    expect(await store.get(OTHER)).toBeDefined();
    await store.close();
  });

  it('that are written or read during a removal are not kept', async () => {
    const store = await openIn(await temporaryFolder());
    await store.set(KEY, INFO, Buffer.from('a'));
    const reading = store.get(KEY);
    const writing = store.set(OTHER, INFO, Buffer.from('b'));
    await store.remove('all');
    await Promise.all([reading, writing]);
    expect([await store.get(KEY), await store.get(OTHER)]).toEqual([undefined, undefined]);
    await store.close();
  });

  it('that have gone when they are sent are a conflict, which can be tried again', async () => {
    const store = await openIn(await temporaryFolder());
    await store.set(KEY, INFO, LARGE);
    const found = await store.get(KEY);
    await store.remove('all');
    await expect(found?.open()).rejects.toMatchObject({ reason: 'conflict' });
    await store.close();
  });

  it('that cannot be removed are an error, not a success', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder);
    await mkdir(join(folder, `${KEY}.variant`));
    await expect(store.remove('all')).rejects.toMatchObject({ reason: 'unavailable' });
    await store.close();
  });

  it('that are used again are the last to go after a restart, too', async () => {
    const folder = await temporaryFolder();
    let time = Date.UTC(2026, 0, 1);
    const keys = ['1', '2', '3'].map((digit) => digit.repeat(64));
    const store = await openDiskVariants({ folder, maxBytes: 10_000_000, now: () => time });
    for (const key of keys) await store.set(key, INFO, Buffer.alloc(7000));
    for (const key of [keys[1]!, keys[2]!, keys[0]!]) {
      time += 24 * 3_600_000;
      await store.get(key);
    }
    await store.close();
    const later = await openIn(folder, 17_000);
    await expect.poll(() => readdir(folder)).toHaveLength(2);
    await later.close();
    expect((await readdir(folder)).map((name) => name[0]).sort()).toEqual(['1', '3']);
  });

  it('of a store that is closed at once are not counted, and stay', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder);
    const body = Buffer.alloc(5000);
    for (let n = 0; n < 40; n += 1) await store.set(n.toString(16).padStart(64, '0'), INFO, body);
    await store.close();
    const brief = await openIn(folder, 10_000);
    await brief.close();
    expect(await readdir(folder)).toHaveLength(40);
  });

  it('that cannot be written, or are larger than the bound, are not kept', async () => {
    const folder = await temporaryFolder();
    const store = await openIn(folder, 100_000);
    await store.set(KEY, INFO, LARGE);
    await mkdir(join(folder, `${OTHER}.variant`));
    await store.set(OTHER, INFO, Buffer.from('b'));
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.get(OTHER)).toBeUndefined();
    await store.close();
  });

  it('are for the owner of the process only', async () => {
    const folder = join(await temporaryFolder(), 'cache');
    const store = await openIn(folder);
    await store.set(KEY, INFO, Buffer.from('a'));
    const { stat } = await import('node:fs/promises');
    expect((await stat(folder)).mode & 0o077).toBe(0);
    expect((await stat(join(folder, `${KEY}.variant`))).mode & 0o077).toBe(0);
    await store.close();
  });
});
