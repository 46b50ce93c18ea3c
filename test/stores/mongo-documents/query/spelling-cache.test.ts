import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../../src/stores/filter.ts';
import { createSpellingCache } from '../../../../src/stores/mongo-documents/query/spelling-cache.ts';
import { BOOKS, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { foldingIndex, openReads } from './workbench.ts';

const folded = (value: string, path = 'name'): Filter => where(path, { kind: 'eq', value, fold: true });
const ROME = { path: 'name', text: 'rome' };

describe('the spelling cache', () => {
  it('is valid until a write', () => {
    const cache = createSpellingCache();
    cache.store(BOOKS, ROME, { spellings: ['Rome'], time: 5n });
    expect(cache.resolve(BOOKS, folded('rome'))).toBeUndefined();
    cache.recordTime(5n);
    cache.recordTime(4n);
    cache.recordTime(undefined);
    expect(cache.resolve(BOOKS, folded('rome'))).toEqual({
      filter: where('name', { kind: 'in', values: ['Rome'] }),
      time: 5n,
    });
    expect(cache.resolve({ ...BOOKS, database: 'other' }, folded('rome'))).toBeUndefined();
    expect(cache.resolve(BOOKS, folded('rom'))).toBeUndefined();
    cache.recordTime(6n);
    expect(cache.resolve(BOOKS, folded('rome'))).toBeUndefined();
  });

  it('resolves a filter only with all of its texts, and knows unresolvable ones', () => {
    const cache = createSpellingCache();
    cache.recordTime(1n);
    cache.store(BOOKS, ROME, { spellings: ['Rome'], time: 1n });
    const both: Filter = { kind: 'and', filters: [folded('rome'), folded('x', 'kind')] };
    expect(cache.resolve(BOOKS, both)).toBeUndefined();
    expect(cache.unresolvable(BOOKS, both)).toEqual({ some: false, all: false });
    cache.markUnresolvable(BOOKS, { path: 'kind', text: 'x' });
    expect(cache.unresolvable(BOOKS, both)).toEqual({ some: true, all: false });
    expect(cache.unresolvable(BOOKS, folded('x', 'kind'))).toEqual({ some: true, all: true });
  });

  it('recognizes a repeated filter without a write in between', () => {
    const cache = createSpellingCache();
    expect([1, 2].map(() => cache.isRepeated(BOOKS, folded('rome')))).toEqual([false, false]);
    cache.recordTime(1n);
    expect([1, 2].map(() => cache.isRepeated(BOOKS, folded('rome')))).toEqual([false, true]);
    cache.recordTime(2n);
    expect(cache.isRepeated(BOOKS, folded('rome'))).toBe(false);
    const long = folded('x'.repeat(5000));
    expect([1, 2].map(() => cache.isRepeated(BOOKS, long))).toEqual([false, false]);
  });
});

describeMongo('cached spellings', ({ replicaSet }) => {
  const open = async () => {
    const bench = await openReads(replicaSet, [
      { name: 'Rome', size: 1, title: 'B' },
      { name: 'ROME', size: 2, title: 'a' },
    ]);
    await bench.declare(foldingIndex('name'), true);
    const asked = query({ filter: folded('rome'), sort: [['size', 1]] });
    const sizes = async () => (await bench.find(BOOKS, asked)).map(({ size }) => size);
    return { ...bench, sizes, count: () => bench.count(BOOKS, asked.filter) };
  };

  it('make a repeated query one round trip', async () => {
    const { find, commandsOf } = await open();
    const asked = query({ filter: folded('rome'), sort: [['title', 1]] });
    const titles = async () => (await find(BOOKS, asked)).map(({ title }) => title);
    // Others write to the server too, so that it may take a few times until nobody does.
    const trips = async () => {
      for (let times = 0; times < 3; times += 1) expect(await titles()).toEqual(['B', 'a']);
      return commandsOf(async () => void (await titles()));
    };
    await expect.poll(trips, { timeout: 15_000 }).toEqual(['find']);
  });

  it('never hide a write of another program', async () => {
    const { sizes, count, books } = await open();
    const spellings = ['rome', 'rOme', 'roMe', 'romE', 'ROme', 'RoMe', 'RomE', 'rOMe', 'rOmE', 'roME'];
    for (const [at, name] of spellings.entries()) {
      for (let times = 0; times < 4; times += 1) await sizes();
      await books.insertOne({ name, size: 3 + at }, { writeConcern: { w: 'majority' } });
      expect(await sizes()).toEqual(Array.from({ length: 3 + at }, (_, n) => n + 1));
      expect(await count()).toBe(3 + at);
    }
  });
});
