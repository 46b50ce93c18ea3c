import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERYTHING } from '../../../src/stores/filter.ts';
import { packWrites } from '../../../src/stores/sqlite-documents/parcel.ts';
import { createThreads } from '../../../src/stores/sqlite-documents/threads.ts';
import { insertOf, NS, openWorkbench } from './workbench.ts';

describe('the threads', () => {
  it('read and write the same file', async () => {
    const { file } = openWorkbench();
    const threads = createThreads(file);
    onTestFinished(() => threads.close());
    await threads.commit(await packWrites([insertOf(1, { n: 1 })], undefined));
    const query = { filter: EVERYTHING, sort: [], skip: 0, limit: 5 };
    const texts = await threads.find({ ns: NS, query, deadline: undefined });
    expect(texts.map((text) => JSON.parse(text))).toMatchObject([{ n: 1 }]);
    expect(await threads.count({ ns: NS, filter: EVERYTHING, deadline: undefined })).toBe(1);
  });

  it('fail as StoreErrors', async () => {
    const threads = createThreads('/nowhere/at/all.db');
    onTestFinished(() => threads.close());
    await expect(threads.drop(1)).rejects.toMatchObject({ name: 'StoreError', reason: 'unavailable' });
  });

  it('are not started by closing them', async () => {
    await createThreads('/nowhere/at/all.db').close();
  });
});
