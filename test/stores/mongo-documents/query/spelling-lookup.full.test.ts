import { expect, it } from 'vitest';
import { findSpellings } from '../../../../src/stores/mongo-documents/query/spelling-lookup.ts';
import { BOOKS, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { indexOf, openReads } from './workbench.ts';

describeMongo('spellings', ({ standalone }) => {
  const open = async (values: readonly unknown[], definition = indexOf('name')) => {
    const bench = await openReads(
      standalone,
      values.map((name) => ({ name })),
    );
    await bench.declare(definition);
    return {
      ...bench,
      find: (text: string, known = bench.known) =>
        bench.run(async (scope) => {
          const found = await findSpellings(scope, { path: 'name', text }, { ns: BOOKS, known });
          return found?.spellings;
        }),
    };
  };

  it('are found once each', async () => {
    const { find } = await open([
      'Kiel',
      'KIEL',
      'kiel',
      'kiel',
      '\u212aiel',
      'Kiew',
      'Kie',
      'kielx',
      1,
      null,
      { a: 1 },
    ]);
    expect(await find('kIEL')).toEqual(['KIEL', 'Kiel', 'kiel', '\u212aiel']);
    expect(await find('Rom')).toEqual([]);
    expect(await find('~z~')).toEqual([]);
  });

  it('are found within arrays, and by an index of more keys', async () => {
    const definition = index('two', { name: 1, size: -1 });
    const { find } = await open([['a', 'Rom'], ['rom', 'b'], 'ROM'], definition);
    expect(await find('rom')).toEqual(['ROM', 'Rom', 'rom']);
  });

  it('are found by a descending index, whatever the other keys are', async () => {
    const values = ['Kiel', 'KIEL', 'kiel', 'kiel', '\u212aiel', 'Kiew', 'Kie', 'kielx', 1, null, { a: 1 }];
    for (const keys of [{ name: -1 }, { name: -1, size: 1 }] as const) {
      const { find } = await open(values, index('down', keys));
      expect(await find('kIEL')).toEqual(['\u212aiel', 'kiel', 'Kiel', 'KIEL']);
      expect(await find('Rom')).toEqual([]);
      expect(await find('~z~')).toEqual([]);
    }
  });

  it('are found behind a common prefix in two spellings', async () => {
    const values = Array.from({ length: 300 }, (_, n) => `${n % 2 ? 'a-common' : 'A-Common'} beginning ${n}`);
    const { find } = await open(values);
    expect(await find('A-COMMON BEGINNING 151')).toEqual(['a-common beginning 151']);
  });

  it('are not resolved with too many prefixes or without an index', async () => {
    const values = Array.from({ length: 64 }, (_, n) =>
      [...'spelli'].map((letter, at) => ((n >> at) % 2 ? letter.toUpperCase() : letter)).join(''),
    );
    const { find } = await open(values);
    expect(await find('spelli')).toBeUndefined();
    expect(await find('spelli', [])).toBeUndefined();
    expect(await find('s'.repeat(501))).toBeUndefined();
  });

  it('are not resolved if the index was changed or dropped', async () => {
    const { find, books } = await open(['a']);
    await books.dropIndexes();
    await books.createIndex({ name: 1 }, { name: 'name' });
    expect(await find('a')).toBeUndefined();
    await books.dropIndexes();
    expect(await find('a')).toBeUndefined();
  });
});
