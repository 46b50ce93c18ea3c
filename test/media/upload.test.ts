// The flow of an upload on a real folder: what it leaves behind in each way in which it can end.

import { describe, expect, it } from 'vitest';
import { FULL_ACCESS } from '../../src/collections/model/access.ts';
import {
  ExtraWriteError,
  type NewRecord,
  type RecordService,
  type RequestContext,
} from '../../src/collections/model/documents.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';
import type { FormPart, UploadGrant } from '../../src/media/media-service-types.ts';
import { createUpload } from '../../src/media/upload.ts';
import { UploadQuota } from '../../src/media/upload-quota.ts';
import { usedTokenWrite } from '../../src/media/used-upload-tokens.ts';
import type { MediaStore } from '../../src/stores/media-store.ts';
import { makeCollection } from '../helpers/fixtures/specifications.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

const COLLECTION = makeCollection({ caption: { type: 'String' } }, { type: 'media' }, { name: 'pictures' });
// Far enough for the deadlines that follow from it.
const AT = Date.UTC(2100, 0, 2);
const FOLDER = '1.0/library/pictures/2100/01/02';
const CONTEXT: RequestContext = { caller: { clientId: 'uploader', access: () => FULL_ACCESS }, deadline: 0 };
const GRANT: UploadGrant = {
  tokenId: '0123456789abcdef01234567',
  expiresAt: AT + 1000,
  fileName: 'a.txt',
  mimetype: 'text/plain',
};

async function* chunksOf(text: string, failure?: Error): AsyncGenerator<Uint8Array> {
  for (const letter of text) yield Buffer.from(letter);
  if (failure !== undefined) throw failure;
}

const file = (fileName: string, text: string, failure?: Error): FormPart => ({
  kind: 'file',
  fileName,
  mimetype: 'text/plain',
  bytes: chunksOf(text, failure),
});

async function* partsOf(parts: readonly FormPart[]): AsyncGenerator<FormPart> {
  yield* parts;
}

interface Asked {
  readonly records: readonly NewRecord[];
  readonly context: RequestContext;
  readonly also: unknown;
}

/** `createRecords` answers with these, or throws. */
async function bench(answer: () => readonly string[] = () => ['{}'], wrap = (store: MediaStore) => store) {
  const path = await temporaryFolder();
  const disk = diskMedia(path);
  const { store: documents } = await openTemporaryStore();
  const asked: Asked[] = [];
  const lines: string[] = [];
  const records: RecordService = {
    createRecords: async (_collection, sent, context, options) => {
      asked.push({ records: sent, context, also: options?.extraWrites });
      return { results: answer() };
    },
    findRecord: async () => undefined,
  };
  const log = (_fields: object, message: string) => void lines.push(message);
  const upload = createUpload({
    store: wrap(disk),
    documents,
    records,
    tasks: {
      dimensionsOf: async (seen) => (seen.head(1)[0] === 0x49 ? { width: 1, height: 2 } : undefined),
      sha1Of: async () => '',
    },
    quota: new UploadQuota({ uploads: 1, uploadsPerClient: 1, stagedBytes: 100 }),
    ends: { head: 4, tail: 4 },
    settings: { pathFormat: 'date', publicUrl: undefined, jsonValues: 100, queryMs: 500 },
    now: () => AT,
    log: { warn: log, error: log },
  });
  const send = (parts: readonly FormPart[], grant?: UploadGrant) =>
    upload({ collection: COLLECTION, parts: partsOf(parts), context: CONTEXT, ...(grant && { grant }) });
  const unsettled = async () => {
    const keys = [];
    for await (const one of disk.unsettled(Number.MAX_SAFE_INTEGER)) keys.push(one.key);
    return keys;
  };
  return { send, asked, lines, unsettled, documents, files: () => filesBelow(path) };
}

describe('an upload', () => {
  it('stores its files, then asks for their records, and leaves nothing unsettled', async () => {
    const { send, asked, unsettled, files } = await bench(() => ['{"a":1}', '{"b":2}']);
    const caption: FormPart = { kind: 'field', name: 'caption', value: 'x' };
    expect(await send([file('a.txt', 'hello'), caption, file('../b', 'I')])).toEqual({
      results: ['{"a":1}', '{"b":2}'],
    });
    expect(files()).toEqual([`${FOLDER}/a.txt`, `${FOLDER}/b`]);
    expect(asked[0]?.records).toMatchObject([
      { serverFields: { fileName: 'a.txt', contentLength: 5 }, fields: { caption: 'x' } },
      {
        serverFields: { fileName: 'b', originalFileName: '../b', width: 1, height: 2 },
        fields: { caption: 'x' },
      },
    ]);
    expect(await unsettled()).toEqual([]);
  });

  it('has the time of one request for its records, however long the form took', async () => {
    const { send, asked } = await bench();
    await send([file('a', '')]);
    expect(asked[0]?.context.deadline).toBe(AT + 500);
  });

  it('of which a file breaks off takes the others with it', async () => {
    const { send, asked, files } = await bench();
    const broken = new AppError('BAD_REQUEST');
    await expect(send([file('a', 'whole'), file('b', 'half', broken)])).rejects.toBe(broken);
    expect([files(), asked]).toEqual([[], []]);
  });

  it('without a file, or with a field that is refused, leaves nothing', async () => {
    const { send, files } = await bench();
    await expect(send([])).rejects.toMatchObject({
      items: [{ field: 'file', message: 'must be specified' }],
    });
    const caption: FormPart = { kind: 'field', name: 'caption', value: 'a\ud800' };
    await expect(send([file('a', 'x'), caption])).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
    expect(files()).toEqual([]);
  });

  it.each([
    ['for what is in it', () => new AppError('DOCUMENT_INVALID')],
    ['by the database', () => new StoreError('duplicate')],
  ])('whose records are refused %s leaves nothing', async (_why, error) => {
    const { send, files } = await bench(() => {
      throw error();
    });
    await expect(send([file('a', 'x'), file('b', 'y')])).rejects.toThrow();
    expect(files()).toEqual([]);
  });

  it.each([
    ['the database is away', () => new StoreError('unavailable')],
    ['the database takes too long', () => new StoreError('timeout')],
    ['something breaks that nobody thought of', () => new TypeError('a defect')],
  ])('of which nobody knows whether it is stored, because %s, is left to the sweep', async (_why, error) => {
    const { send, files, unsettled, lines } = await bench(() => {
      throw error();
    });
    await expect(send([file('a', 'x')])).rejects.toThrow(error().message);
    expect(files()).toContain(`${FOLDER}/a`);
    expect(await unsettled()).toEqual([`${FOLDER}/a`]);
    expect(lines).toEqual(['outcome of an upload unknown: its files stay until the database answers']);
  });

  it('whose second file cannot be published leaves nothing', async () => {
    let published = 0;
    const { send, files, asked } = await bench(undefined, (store) => ({
      ...store,
      begin: async (options) => {
        const started = await store.begin(options);
        const publish = () => {
          published += 1;
          return published === 2 ? Promise.reject(new StoreError('unavailable')) : started.publish();
        };
        return {
          write: (source) => started.write(source),
          publish,
          settle: () => started.settle(),
          discard: () => started.discard(),
          abandon: () => started.abandon(),
        };
      },
    }));
    await expect(send([file('a', 'x'), file('b', 'y')])).rejects.toMatchObject({ reason: 'unavailable' });
    expect([files(), asked]).toEqual([[], []]);
  });

  it('is done once its records are stored, even if the media store then fails', async () => {
    const { send, lines, unsettled } = await bench(undefined, (store) => ({
      ...store,
      begin: async (options) => {
        const started = await store.begin(options);
        return {
          write: (source) => started.write(source),
          publish: () => started.publish(),
          settle: () => Promise.reject(new StoreError('unavailable')).finally(() => started.abandon()),
          discard: () => started.discard(),
          abandon: () => started.abandon(),
        };
      },
    }));
    expect(await send([file('a', 'x')])).toEqual({ results: ['{}'] });
    expect(lines).toEqual(['could not remove the journal of an upload: the next cleanup does']);
    expect(await unsettled()).toEqual([`${FOLDER}/a`]);
  });
});

describe('a signed upload', () => {
  it('is stored in the name of the caller, and uses its token up', async () => {
    const { send, asked } = await bench();
    await send([file('a.txt', 'x')], GRANT);
    expect(asked[0]).toMatchObject({
      context: { caller: { clientId: 'uploader' } },
      also: [usedTokenWrite(GRANT)],
    });
  });

  it.each([
    ['another name', { ...GRANT, fileName: 'b.txt' }],
    ['another type', { ...GRANT, mimetype: 'text/html' }],
  ])('of a file with %s is refused before a byte of it is read', async (_what, grant) => {
    const { send, files, asked } = await bench();
    const part = file('a.txt', '');
    const untouched = {
      ...part,
      bytes: {
        [Symbol.asyncIterator]: () => {
          throw new Error('was read');
        },
      },
    };
    await expect(send([untouched as FormPart], grant)).rejects.toMatchObject({
      code: 'UPLOAD_NOT_AS_SIGNED',
    });
    expect([files(), asked]).toEqual([[], []]);
  });

  it('of two files is refused', async () => {
    const { send, files } = await bench();
    await expect(send([file('a.txt', 'x'), file('a.txt', 'y')], GRANT)).rejects.toMatchObject({
      status: 400,
    });
    expect(files()).toEqual([]);
  });

  it('with a used token is refused before the form is read', async () => {
    const { send, documents, asked } = await bench();
    await documents.commit([usedTokenWrite(GRANT)]);
    const read = file('a.txt', '', new Error('was read'));
    await expect(send([read], GRANT)).rejects.toMatchObject({ code: 'UPLOAD_TOKEN_USED' });
    expect(asked).toEqual([]);
  });

  it('that comes second of two at once is refused, and leaves nothing', async () => {
    const { send, files } = await bench(() => {
      throw new ExtraWriteError(new StoreError('duplicate'), 0);
    });
    await expect(send([file('a.txt', 'x')], GRANT)).rejects.toMatchObject({ code: 'UPLOAD_TOKEN_USED' });
    expect(files()).toEqual([]);
  });
});
