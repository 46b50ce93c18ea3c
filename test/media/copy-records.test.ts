// Brings records of files up to date after their files moved to another store.
import { describe, expect, it } from 'vitest';
import { type CopyRecordsDeps, copyRecords } from '../../src/media/copy-records.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import type { StoredDocument } from '../../src/stores/ports.ts';
import { bytesOf, storeFile } from '../contracts/media-cases.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

const NS = { database: null, collection: 'pictures' };
const idOf = (n: number) => n.toString(16).padStart(24, '0');

async function open(documents: readonly StoredDocument[]) {
  const { store } = await openTemporaryStore();
  const target = diskMedia(await temporaryFolder());
  await store.commit(documents.map((document) => ({ kind: 'insert', ns: NS, document }) as const));
  const deps: CopyRecordsDeps = {
    documents: store,
    target,
    now: Date.now,
    queryMs: 5000,
    namespaceOf: () => NS,
    signal: new AbortController().signal,
  };
  const read = () => store.find(NS, { filter: MATCH_ALL, sort: [], skip: 0, limit: 1000 });
  return { store, target, deps, read };
}

const record = (n: number, name: string, more: object = {}): StoredDocument => ({
  _id: idOf(n),
  v: 1,
  fileName: name,
  contentLength: 4,
  path: `workspace/media/1/d/pictures/${name}`,
  cloudUrl: `https://b.s3.amazonaws.com/${name}`,
  ...more,
});

describe('copyRecords', () => {
  it('corrects the path of every file that is there, and no other document', async () => {
    const others = [
      record(2, 'missing.png'),
      record(3, 'longer.png', { contentLength: 5 }),
      { _id: idOf(4), v: 1, path: 'workspace/media/1/d/pictures/a.png', title: 'no record' },
    ];
    const { target, deps, read } = await open([record(1, 'a.png', { caption: 'kept' }), ...others]);
    for (const name of ['a.png', 'longer.png'])
      await storeFile(target, `1/d/pictures/${name}`, bytesOf('text'));
    expect(await copyRecords(deps)).toBe(1);
    const [first, ...rest] = await read();
    expect(first).toEqual({
      _id: idOf(1),
      v: 2,
      fileName: 'a.png',
      contentLength: 4,
      path: '1/d/pictures/a.png',
      caption: 'kept',
    });
    expect(rest).toEqual(others);
    expect(await copyRecords(deps)).toBe(0);
  });

  it('goes through more records than one page holds', async () => {
    const records = Array.from({ length: 450 }, (_, n) => record(n, 'a.png'));
    const { target, deps, read } = await open(records);
    await storeFile(target, '1/d/pictures/a.png', bytesOf('text'));
    expect(await copyRecords(deps)).toBe(450);
    expect(new Set((await read()).map(({ path }) => path))).toEqual(new Set(['1/d/pictures/a.png']));
  });

  it('keeps what somebody else writes at the same time', async () => {
    const { store, target, deps, read } = await open([record(1, 'a.png')]);
    await storeFile(target, '1/d/pictures/a.png', bytesOf('text'));
    let isFirst = true;
    const stat: typeof target.stat = async (key) => {
      if (isFirst) {
        isFirst = false;
        const document = record(1, 'a.png', { v: 2, caption: 'new' });
        await store.commit([
          { kind: 'update', ns: NS, id: idOf(1), v: 1, document, changed: ['v', 'caption'] },
        ]);
      }
      return target.stat(key);
    };
    expect(await copyRecords({ ...deps, target: { ...target, stat } })).toBe(1);
    expect(await read()).toEqual([
      expect.objectContaining({ v: 3, caption: 'new', path: '1/d/pictures/a.png' }),
    ]);
  });
});
