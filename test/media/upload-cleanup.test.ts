import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import { createUploadCleanup } from '../../src/media/upload-cleanup.ts';
import { usedTokenWrite } from '../../src/media/used-upload-tokens.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

const HOUR = 3_600_000;

async function* bytes() {
  yield Buffer.from('x');
}

/** A folder in which a process has left three uploads: one without a record, one with, one that was not complete. */
async function leftBehind() {
  const path = await temporaryFolder();
  const before = diskMedia(path);
  const begin = async (name: string) => {
    const upload = await before.begin({ candidate: () => `1.0/a/b/${name}`, contentType: 'text/plain' });
    await upload.write(bytes());
    return upload;
  };
  await (await begin('lost')).publish();
  await (await begin('stored')).publish();
  await begin('half');
  return path;
}

async function bench({ isAlone = true, livesMs = HOUR, now = Date.now() + 1000, path = '' } = {}) {
  const folder = path === '' ? await leftBehind() : path;
  const { store: documents } = await openTemporaryStore();
  const lines: string[] = [];
  const asked: (readonly [key: string, path: string])[] = [];
  const log = (_fields: object, message: string) => void lines.push(message);
  const sweep = createUploadCleanup({
    store: diskMedia(folder),
    documents,
    hasRecord: async (key, at) => {
      asked.push([key, at]);
      return key.endsWith('/stored');
    },
    maxUploadMs: livesMs,
    isSole: isAlone,
    queryMs: HOUR,
    now: () => now,
    log: { info: log, warn: log },
  });
  return { sweep, folder, documents, lines, asked };
}

describe('the cleanup of uploads', () => {
  it('keeps files that have a record and removes what else was cut off', async () => {
    const { sweep, folder, lines, asked } = await bench();
    await sweep.start();
    expect(filesBelow(folder)).toEqual(['1.0/a/b/stored']);
    expect(asked).toContainEqual(['1.0/a/b/stored', '1.0/a/b/stored']);
    expect(lines).toEqual(['interrupted uploads cleaned up']);
    await sweep.close();
  });

  it('finds nothing at the next start', async () => {
    const first = await bench();
    await first.sweep.start();
    await first.sweep.close();
    const { sweep, asked, lines } = await bench({ path: first.folder });
    await sweep.start();
    expect([asked, lines]).toEqual([[], []]);
    await sweep.close();
  });

  it('leaves uploads of other servers alone for as long as they may go on', async () => {
    const { sweep, folder } = await bench({ isAlone: false });
    const found = filesBelow(folder);
    await sweep.start();
    expect(filesBelow(folder)).toEqual(found);
    await sweep.run(Date.now() + 1000);
    expect(filesBelow(folder)).toEqual(['1.0/a/b/stored']);
    await sweep.close();
  });

  it('forgets used tokens an hour after the last upload with them can have ended', async () => {
    const now = 1_900_000_000_000;
    const { sweep, documents } = await bench({ now, livesMs: HOUR });
    const tokenOf = (expiresAt: number, n: string) => {
      const tokenId = `${Math.floor(expiresAt / 1000)
        .toString(16)
        .padStart(8, '0')}${n.repeat(16)}`;
      return usedTokenWrite({ tokenId, expiresAt });
    };
    await documents.commit([tokenOf(now - 2 * HOUR - 1000, '1'), tokenOf(now - 2 * HOUR, '2')]);
    await sweep.start();
    const ns = { database: null, collection: 'cloister.upload-tokens' };
    expect(await documents.count(ns, { kind: 'and', filters: [] })).toBe(1);
    await sweep.close();
  });

  it('says when it could not, and removes nothing of which it does not know', async () => {
    const folder = await leftBehind();
    const found = filesBelow(folder);
    const lines: string[] = [];
    const { store: documents } = await openTemporaryStore();
    const sweep = createUploadCleanup({
      store: diskMedia(folder),
      documents,
      hasRecord: () => Promise.reject(new StoreError('unavailable')),
      maxUploadMs: HOUR,
      isSole: true,
      queryMs: HOUR,
      now: () => Date.now() + 1000,
      log: { info: () => undefined, warn: (_fields, message) => void lines.push(message) },
    });
    await sweep.start();
    await sweep.close();
    expect(lines).toHaveLength(1);
    expect(filesBelow(folder)).toEqual(expect.arrayContaining(['1.0/a/b/lost', '1.0/a/b/stored']));
    expect(found).toEqual(expect.arrayContaining([...filesBelow(folder)]));
  });
});
