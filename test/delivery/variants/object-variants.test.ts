// The cache of rendered images in an object store: its form, its bound, and a store that fails.
import { describe, expect, it } from 'vitest';
import { createObjectVariants } from '../../../src/delivery/variants/object-variants.ts';
import type { StoredVariant, VariantInfo } from '../../../src/delivery/variants/variant-store.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { openMemoryMedia } from '../../helpers/store/memory-media.ts';

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

  it('of a store that is closed at once are not counted, and stay', async () => {
    const objects = openMemoryMedia();
    const earlier = openStore(objects).store;
    for (const digit of ['1', '2', '3']) await earlier.set(digit.repeat(64), INFO, Buffer.alloc(1000));
    await openStore(objects, 1500).store.close();
    expect(objects.files.size).toBe(3);
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

  it('are all removed without being read', async () => {
    const { store, objects } = openStore();
    await store.set(KEY, INFO, Buffer.from('a'));
    let reads = 0;
    const { read } = objects;
    Object.assign(objects, {
      read(...args: Parameters<typeof read>) {
        reads += 1;
        return read(...args);
      },
    });
    expect(await store.remove('all')).toBe(1);
    expect([reads, objects.files.size]).toEqual([0, 0]);
  });

  it('that are stored during a removal are not kept', async () => {
    const objects = openMemoryMedia();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const begin: typeof objects.begin = async (options) => {
      const upload = await objects.begin(options);
      begun.resolve();
      await gate.promise;
      return upload;
    };
    const { store } = openStore({ ...objects, begin });
    const stored = store.set(KEY, INFO, Buffer.from('a'));
    await begun.promise;
    expect(await store.remove('all')).toBe(0);
    gate.resolve();
    await stored;
    await expect.poll(() => objects.files.size).toBe(0);
  });

  it('of a store that is away are missing, and its failures are told', async () => {
    const away = () => Promise.reject(new StoreError('unavailable'));
    const { store, failures } = openStore({ ...openMemoryMedia(), stat: away, begin: away });
    expect(await store.get(KEY)).toBeUndefined();
    await store.set(KEY, INFO, Buffer.from('a'));
    expect(failures).toEqual([expect.any(StoreError), expect.any(StoreError)]);
  });

  it('that are large and damaged count as missing and are removed', async () => {
    const { store, objects } = openStore();
    await store.set(KEY, INFO, Buffer.alloc(600_000, 'large'));
    objects.files.set(OBJECT, objects.files.get(OBJECT)!.subarray(0, 599_990));
    expect(await store.get(KEY)).toBeUndefined();
    expect(objects.files.size).toBe(0);
  });

  it('that are empty or of another form go with every removal', async () => {
    const { store, objects } = openStore();
    objects.files.set(OBJECT, Buffer.alloc(0));
    objects.files.set(`bb/${'b'.repeat(64)}.variant`, Buffer.from('nonsense'));
    expect(await store.get(KEY)).toBeUndefined();
    expect(await store.remove(() => false)).toBe(1);
    expect(objects.files.size).toBe(0);
  });

  it('that are gone when they are sent fail the stream', async () => {
    const { store, objects } = openStore();
    await store.set(KEY, INFO, Buffer.alloc(600_000, 'large'));
    const found = await store.get(KEY);
    objects.files.clear();
    await expect(bodyOf(found)).rejects.toMatchObject({ reason: 'conflict' });
  });

  it('that another server stored first are kept, and the second upload is discarded', async () => {
    const objects = openMemoryMedia();
    let uploads = 0;
    const begin: typeof objects.begin = async (options) => {
      uploads += 1;
      const upload = await objects.begin(options);
      if (uploads === 1) await openStore(objects).store.set(KEY, INFO, Buffer.from('first'));
      return upload;
    };
    const { store } = openStore({ ...objects, begin });
    await store.set(KEY, INFO, Buffer.from('first'));
    expect([...objects.files.keys()]).toEqual([OBJECT]);
    expect((await bodyOf(await store.get(KEY))).toString()).toBe('first');
  });

  it('whose upload breaks off are discarded, and the failure is reported', async () => {
    const objects = openMemoryMedia();
    const broken = new StoreError('unavailable');
    const discarded: string[] = [];
    const begin: typeof objects.begin = async (options) => ({
      ...(await objects.begin(options)),
      publish: () => Promise.reject(broken),
      discard: async () => void discarded.push('discarded'),
    });
    const { store, failures } = openStore({ ...objects, begin });
    await store.set(KEY, INFO, Buffer.from('a'));
    expect([failures, discarded, objects.files.size]).toEqual([[broken], ['discarded'], 0]);
  });

  it('that are larger than the whole cache are not stored', async () => {
    const { store, objects } = openStore(openMemoryMedia(), 500);
    await store.set(KEY, INFO, Buffer.alloc(1000));
    expect(objects.files.size).toBe(0);
  });

  it('cannot be removed while the store is unavailable, which is reported', async () => {
    const objects = openMemoryMedia();
    const { store, failures } = openStore(objects);
    await store.set(KEY, INFO, Buffer.from('a'));
    Object.assign(objects, {
      // biome-ignore lint/correctness/useYield: a list that fails gives nothing
      async *list() {
        throw new StoreError('unavailable');
      },
    });
    await expect(store.remove(() => true)).rejects.toMatchObject({ reason: 'unavailable' });
    expect(failures).toEqual([expect.any(StoreError)]);
    await store.close();
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['no description', { size: 4, hash: 'x' }],
    ['a description that is no object', { info: 'x', size: 4, hash: 'x' }],
    ['a path that is no text', { info: { ...INFO, path: 1 }, size: 4, hash: 'x' }],
    ['a width that is no integer', { info: { ...INFO, width: 0.5 }, size: 4, hash: 'x' }],
    ['no hash', { info: INFO, size: 4 }],
    ['no size', { info: INFO, hash: 'x' }],
  ])('whose head has %s count as missing and are removed', async (_what, head) => {
    const { store, objects } = openStore();
    const text = Buffer.from(JSON.stringify(head));
    const prefix = Buffer.from('CLV1\0\0\0\0', 'latin1');
    prefix.writeUInt32BE(text.length, 4);
    objects.files.set(OBJECT, Buffer.concat([prefix, text, Buffer.from('body')]));
    expect(await store.get(KEY)).toBeUndefined();
    expect(objects.files.size).toBe(0);
  });

  it('whose head would be too long to be read at once are not stored', async () => {
    const { store, objects } = openStore();
    await store.set(KEY, { ...INFO, path: '\u0001'.repeat(12_000) }, Buffer.from('a'));
    expect(objects.files.size).toBe(0);
  });
});
