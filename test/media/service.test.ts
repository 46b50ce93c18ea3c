import { expect, it } from 'vitest';
import { createMediaService } from '../../src/media/service.ts';
import { makeCollection } from '../helpers/specifications.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

it('what was uploaded can be read, by id and by path', async () => {
  const stored: Record<string, unknown>[] = [];
  const service = createMediaService({
    store: diskMedia(await temporaryFolder()),
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
  const context = { caller: { name: null, may: () => true }, deadline: 0 };
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
