import { expect, it } from 'vitest';
import { UNTRANSLATABLE } from '../../../../src/stores/mongo-documents/filters/translated-filter.ts';
import { findResidual } from '../../../../src/stores/mongo-documents/query/residual-find.ts';
import { where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

const DOCUMENTS = ['x', 1, { a: 1 }].map((_id, n) => ({ _id: _id as never, n, text: 'aab' }));

describeMongo('a page of documents selected by this process', ({ standalone }) => {
  it('is in the selected order and has the requested fields', async () => {
    const { run, search } = await openReads(standalone, DOCUMENTS);
    const filter = where('text', { kind: 'regex', pattern: 'a+b', flags: '' });
    const asked = search({ filter, sort: [['n', -1]], projection: { include: ['n'] } });
    const { texts, finish } = await run((scope) => findResidual(scope, asked, UNTRANSLATABLE));
    const documents = texts.map((text) => JSON.parse(text));
    expect(finish === undefined ? documents : documents.map(finish)).toEqual([
      { n: 2, _id: { a: 1 } },
      { n: 1, _id: 1 },
      { n: 0, _id: 'x' },
    ]);
  });

  it('omits documents that no longer match when they are fetched', async () => {
    const { run, search, books } = await openReads(standalone, DOCUMENTS);
    const filter = where('text', { kind: 'regex', pattern: 'a+b', flags: '' });
    const asked = search({ filter, projection: { exclude: ['text'] } });
    const { texts, finish } = await run((scope) => {
      const database = (name: string | null) => {
        const db = scope.database(name);
        const command: typeof db.command = async (...sent) => {
          await books.updateOne({ n: 1 }, { $set: { text: 'secret' } });
          return db.command(...sent);
        };
        return Object.assign(Object.create(db), { command });
      };
      return findResidual({ ...scope, database }, asked, UNTRANSLATABLE);
    });
    expect(texts.map((text) => finish?.(JSON.parse(text)))).toEqual([
      { n: 0, _id: 'x' },
      { n: 2, _id: { a: 1 } },
    ]);
  });
});
