import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { FULL_ACCESS } from '../../src/collections/model/access.ts';
import { createFileFinder, createMediaService } from '../../src/media/media-service.ts';
import { UploadQuota } from '../../src/media/upload-quota.ts';
import type { ByteRange, StoredFile } from '../../src/stores/media-store.ts';
import type { StoredDocument } from '../../src/stores/ports.ts';
import { makeCollection } from '../helpers/fixtures/specifications.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { collection } from '../http/fixtures.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

const IMAGES = collection('images');
const ID = '0123456789abcdef01234567';
const KEY = '1.0/library/images/2026/a.txt';
const RECORD = { _id: ID, fileName: 'a.txt', mimetype: 'text/plain', path: KEY, v: 1 };
const CONTEXT = { caller: { clientId: null, access: () => FULL_ACCESS }, deadline: 1 };

interface World {
  readonly record?: Readonly<Record<string, unknown>>;
  readonly stored?: StoredFile | undefined;
  /** Prefix of a bucket. */
  readonly prefix?: string;
}

function build({ record = RECORD, stored = { size: 5, modifiedAt: 7 }, prefix = '' }: World = {}) {
  const asked: object[] = [];
  const files = createFileFinder({
    records: {
      async findRecord(_collection, by) {
        asked.push(by);
        const matches = 'id' in by ? record['_id'] === by.id : record['path'] === by.path;
        return matches ? (record as StoredDocument) : undefined;
      },
    },
    store: {
      stat: async (key) => (key === KEY ? stored : undefined),
      read: async (_key, range?: ByteRange) =>
        Readable.from('bytes'.slice(range?.start ?? 0, (range?.end ?? 4) + 1)),
      pathOf: (key) => prefix + key,
      keyOf: (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path),
    },
  });
  return { files, asked };
}

const NOT_FOUND = expect.objectContaining({ code: 'NOT_FOUND' });

describe('the file of a record', () => {
  it('is found by id and by path, and read whole or in part', async () => {
    const { files } = build();
    const byId = await files.fileById(IMAGES, ID, CONTEXT);
    const byPath = await files.fileByPath(IMAGES, '2026/a.txt', CONTEXT);
    expect(byId).toMatchObject({ fileName: 'a.txt', mimetype: 'text/plain', size: 5, modifiedAt: 7 });
    expect(byPath.validator).toBe(byId.validator);
    expect(await text(await byId.open())).toBe('bytes');
    expect(await text(await byId.open({ start: 1, end: 2 }))).toBe('yt');
  });

  it('has a validator that only its bytes and its record change', async () => {
    const validatorOf = async (world: World) => {
      return (await build(world).files.fileById(IMAGES, ID, CONTEXT)).validator;
    };
    const first = await validatorOf({});
    expect(first).toMatch(/^[\w-]{27}$/);
    expect(await validatorOf({ record: { ...RECORD, v: 2, caption: 'new' } })).toBe(first);
    expect(await validatorOf({ stored: { size: 6, modifiedAt: 7 } })).not.toBe(first);
    expect(await validatorOf({ stored: { size: 5, modifiedAt: 8 } })).not.toBe(first);
  });

  it('is found by its path in a bucket, and by the path that it had on a disk', async () => {
    const prefix = 'media/';
    const inBucket = build({ prefix, record: { ...RECORD, path: `media/${KEY}` } });
    await inBucket.files.fileByPath(IMAGES, '2026/a.txt', CONTEXT);
    expect(inBucket.asked).toEqual([{ path: `media/${KEY}` }]);
    const moved = build({ prefix });
    await moved.files.fileByPath(IMAGES, '2026/a.txt', CONTEXT);
    expect(moved.asked).toEqual([{ path: `media/${KEY}` }, { path: KEY }]);
  });

  it('is not there without a record, without a file, or when the record names none', async () => {
    await expect(build().files.fileByPath(IMAGES, 'b.txt', CONTEXT)).rejects.toEqual(NOT_FOUND);
    await expect(build({ record: { _id: ID } }).files.fileById(IMAGES, ID, CONTEXT)).rejects.toEqual(
      NOT_FOUND,
    );
    const elsewhere = { ...RECORD, path: '1.0/library/images/gone' };
    await expect(build({ record: elsewhere }).files.fileById(IMAGES, ID, CONTEXT)).rejects.toEqual(NOT_FOUND);
  });

  it('of a record that others wrote has the name of its path and the type of unknown bytes', async () => {
    const { files } = build({ record: { _id: ID, path: KEY, fileName: 7, mimetype: null } });
    expect(await files.fileById(IMAGES, ID, CONTEXT)).toMatchObject({
      fileName: 'a.txt',
      mimetype: 'application/octet-stream',
    });
  });
});

it('what was uploaded can be read, by id and by path', async () => {
  const stored: Record<string, unknown>[] = [];
  const service = createMediaService({
    store: diskMedia(await temporaryFolder()),
    quota: new UploadQuota({ uploads: 1, uploadsPerClient: 1, stagedBytes: 100 }),
    documents: { find: async () => [] },
    records: {
      createRecords: async (_collection, records) => {
        stored.push({ _id: 'id', ...records[0]?.serverFields });
        return { results: ['{}'] };
      },
      findRecord: async (_collection, by) =>
        stored.find((record) => ('id' in by ? record['_id'] === by.id : record['path'] === by.path)) as never,
    },
    tasks: { dimensionsOf: async () => undefined, sha1Of: async () => '' },
    ends: { head: 1, tail: 1 },
    settings: { pathFormat: 'none', publicUrl: undefined, jsonValues: 1, queryMs: 1 },
    now: () => 0,
    log: { warn: () => undefined, error: () => undefined },
  });
  const collection = makeCollection({ a: {} }, { type: 'media' });
  const context = { caller: { clientId: null, access: () => FULL_ACCESS }, deadline: 0 };
  async function* parts() {
    const bytes = (async function* () {
      yield Buffer.from('hello');
    })();
    yield { kind: 'file', fileName: 'a.txt', mimetype: 'text/plain', bytes } as const;
  }
  await service.upload({ collection, parts: parts(), context });
  for (const file of [
    await service.fileById(collection, 'id', context),
    await service.fileByPath(collection, 'a.txt', context),
  ]) {
    expect(file).toMatchObject({ fileName: 'a.txt', mimetype: 'text/plain', size: 5 });
    expect(Buffer.concat(await (await file.open()).toArray()).toString()).toBe('hello');
  }
});
