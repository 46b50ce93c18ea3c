// What every cache of responses must do, whatever it keeps them in.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CacheStore } from '../../src/stores/ports.ts';

export interface CacheFixture {
  readonly cache: CacheStore;
  /** Moves the clock that the cache was given, in milliseconds. */
  advance(milliseconds: number): void | Promise<void>;
  dispose(): Promise<void>;
}

/**
 * `open` makes an empty cache that holds at most `maxBytes`. `evicts`: the cache itself makes room; otherwise its server does,
 * and `maxBytes` is the bound of one entry.
 */
export function describeCacheStore(
  name: string,
  open: (maxBytes: number) => Promise<CacheFixture>,
  { evicts = true }: { readonly evicts?: boolean } = {},
): void {
  describe(`${name} as a cache store`, () => {
    let fixture: CacheFixture;

    beforeEach(async () => {
      fixture = await open(100_000);
    });

    afterEach(() => fixture.dispose());

    it('is there', () => {
      expect(fixture.cache.isReachable()).toBe(true);
    });

    it('finds nothing at first', async () => {
      expect(await fixture.cache.get('a')).toBeUndefined();
    });

    it('gives back what was set, text of every kind', async () => {
      const value = '{"a":"ü\u2028😀\\u0000"}\n\n';
      await fixture.cache.set('../a\nb\u0000', value, 1000);
      expect(await fixture.cache.get('../a\nb\u0000')).toBe(value);
    });

    it('gives back a long text, in the same or in other pieces', async () => {
      const large = await open(10_000_000);
      const pieces = ['1\n', 'ü😀'.repeat(200_000), '', 'x'.repeat(300_000)];
      await large.cache.set('a', pieces, 1000);
      expect([(await large.cache.get('a')) ?? []].flat().join('')).toBe(pieces.join(''));
      await large.dispose();
    });

    it('keeps an empty text', async () => {
      await fixture.cache.set('a', '', 1000);
      expect(await fixture.cache.get('a')).toBe('');
    });

    it('replaces an entry and its time', async () => {
      await fixture.cache.set('a', 'old', 10);
      await fixture.cache.set('a', 'new', 1000);
      await fixture.advance(500);
      expect(await fixture.cache.get('a')).toBe('new');
    });

    it('forgets an entry when its time is over, and only that one', async () => {
      await fixture.cache.set('a', '1', 1000);
      await fixture.cache.set('b', '2', 5000);
      await fixture.advance(999);
      expect(await fixture.cache.get('a')).toBe('1');
      await fixture.advance(1);
      expect(await fixture.cache.get('a')).toBeUndefined();
      expect(await fixture.cache.get('b')).toBe('2');
    });

    it('forgets everything when cleared, and goes on', async () => {
      await fixture.cache.set('a', '1', 1000);
      await fixture.cache.clear();
      expect(await fixture.cache.get('a')).toBeUndefined();
      await fixture.cache.set('a', '2', 1000);
      expect(await fixture.cache.get('a')).toBe('2');
    });

    const itEvicts = evicts ? it : () => undefined;
    itEvicts('stays within its bound: the longest unused entry goes', async () => {
      const small = await open(1000);
      await small.cache.set('a', 'x'.repeat(200), 1000);
      await small.cache.set('b', 'x'.repeat(200), 1000);
      await small.cache.get('a');
      await small.cache.set('c', 'x'.repeat(450), 1000);
      await small.cache.set('d', 'x'.repeat(450), 1000);
      expect(await small.cache.get('b')).toBeUndefined();
      expect(await small.cache.get('d')).toBe('x'.repeat(450));
      await small.dispose();
    });

    it('does not keep what is larger than the whole bound', async () => {
      const small = await open(1000);
      await small.cache.set('a', 'x'.repeat(2000), 1000);
      expect(await small.cache.get('a')).toBeUndefined();
      await small.dispose();
    });

    it('takes many writes of one key at once', async () => {
      await Promise.all(Array.from({ length: 20 }, () => fixture.cache.set('a', 'same', 1000)));
      expect(await fixture.cache.get('a')).toBe('same');
    });
  });
}
