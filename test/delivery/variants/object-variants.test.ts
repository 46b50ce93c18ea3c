// The cache of rendered images in an object store: its form, its bound, and a store that fails.
import { describe, expect, it } from 'vitest';
import { createObjectVariants } from '../../../src/delivery/variants/object-variants.ts';
import type { StoredVariant, VariantInfo } from '../../../src/delivery/variants/variant-store.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { openMemoryMedia } from '../../helpers/memory-media.ts';

const INFO: VariantInfo = {
  ...{ contentType: 'image/webp', width: 3, height: 2 },
  ...{ recipe: 'thumbnail', path: 'a.jpg', query: '' },
};
const KEY = 'a'.repeat(64);
const OBJECT = `aa/${KEY}.variant`;

function openStore(objects = openMemoryMedia(), maxBytes = 10_000_000) {
  const failures: unknown[] = [];
  const store = createObjectVariants({ objects, maxBytes, onFailure: (error) => failures.push(error) });
  return { store, objects, failures };
}

async function bodyOf(variant: StoredVariant | undefined, range?: { start: number; end: number }) {
  const pieces: Buffer[] = [];
  for await (const piece of await variant!.open(range)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

describe('variants as objects', () => {
  it.each([Buffer.from('small'), Buffer.alloc(600_000, 'large')])(
    'come back, whole and in part',
    async (body) => {
      const { store, objects } = openStore();
      expect(await store.get(KEY)).toBeUndefined();
      await store.set(KEY, INFO, body);
      await store.set(KEY, INFO, body);
      expect([...objects.files.keys()]).toEqual([OBJECT]);
      for (const one of [store, openStore(objects).store]) {
        const found = await one.get(KEY);
        expect(found).toMatchObject({ info: INFO, size: body.length });
        expect((await bodyOf(found)).equals(body)).toBe(true);
        expect((await bodyOf(found, { start: 1, end: 3 })).equals(body.subarray(1, 4))).toBe(true);
      }
    },
  );

  it('that are damaged count as missing and are removed', async () => {
    const { store, objects } = openStore();
    await store.set(KEY, INFO, Buffer.from('small'));
    const bytes = objects.files.get(OBJECT)!;
    bytes[bytes.length - 1]! ^= 1;
    expect(await store.get(KEY)).toBeUndefined();
    expect(objects.files.size).toBe(0);
  });

  it('stay within their bound, those of an earlier process included', async () => {
    const objects = openMemoryMedia();
    const earlier = openStore(objects).store;
    for (const digit of ['1', '2', '3']) await earlier.set(digit.repeat(64), INFO, Buffer.alloc(1000));
    const { store } = openStore(objects, 3000);
    await expect.poll(() => objects.files.size).toBe(2);
    await store.set(KEY, INFO, Buffer.alloc(1000));
    await expect.poll(() => objects.files.size).toBe(2);
    expect(objects.files.has(OBJECT)).toBe(true);
  });

  it('are removed where they match, and nothing else that lies there', async () => {
    const { store, objects } = openStore();
    objects.files.set('other/file.txt', Buffer.from('x'));
    await store.set(KEY, INFO, Buffer.from('a'));
    await store.set('b'.repeat(64), { ...INFO, path: 'b.jpg' }, Buffer.from('b'));
    expect(await store.remove(({ path }) => path === 'a.jpg')).toBe(1);
    expect(await store.get('b'.repeat(64))).toBeDefined();
    expect(await store.remove(() => true)).toBe(1);
    expect([...objects.files.keys()]).toEqual(['other/file.txt']);
  });

  it('of a store that is away are missing, and its failures are told', async () => {
    const away = () => Promise.reject(new StoreError('unavailable'));
    const { store, failures } = openStore({ ...openMemoryMedia(), stat: away, begin: away });
    expect(await store.get(KEY)).toBeUndefined();
    await store.set(KEY, INFO, Buffer.from('a'));
    expect(failures).toEqual([expect.any(StoreError), expect.any(StoreError)]);
  });
});
