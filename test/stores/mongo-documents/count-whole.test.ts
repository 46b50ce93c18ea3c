import type { Collection, Document } from 'mongodb';
import { expect, it } from 'vitest';
import type { Scope } from '../../../src/stores/mongo-documents/connection-types.ts';
import { createWholeCount } from '../../../src/stores/mongo-documents/count-whole.ts';
import { BOOKS } from '../../contracts/cases.ts';
import { describeMongo } from '../../helpers/mongo-servers.ts';
import { openReads } from './reads-workbench.ts';

/** The scope of a server whose own number is off. */
function mistaken(scope: Scope, by: number): Scope {
  const collection = (ns: typeof BOOKS): Collection<Document> => {
    const real = scope.collection(ns);
    const estimatedDocumentCount = async () => (await real.estimatedDocumentCount()) + by;
    return Object.assign(Object.create(real), { estimatedDocumentCount });
  };
  return { ...scope, left: () => scope.left(), collection };
}

describeMongo('the number of all documents', ({ standalone }) => {
  it('is counted once, and followed from there', async () => {
    const { run, books, commandsOf } = await openReads(standalone, [{ n: 1 }, { n: 2 }]);
    const whole = createWholeCount();
    const ask = () => run((scope) => whole.of(scope, BOOKS));
    expect(await ask()).toBe(2);
    await books.insertOne({ n: 3 });
    expect(await commandsOf(async () => expect(await ask()).toBe(3))).toEqual(['count']);
  });

  it('is right where the server is mistaken since a crash', async () => {
    const { run, books } = await openReads(standalone, [{ n: 1 }, { n: 2 }]);
    const whole = createWholeCount();
    const ask = () => run((scope) => whole.of(mistaken(scope, 5), BOOKS));
    expect(await ask()).toBe(2);
    await books.insertOne({ n: 3 });
    expect(await ask()).toBe(3);
  });

  it('is zero where there is nothing', async () => {
    const { run } = await openReads(standalone, []);
    const whole = createWholeCount();
    expect(await run((scope) => whole.of(scope, BOOKS))).toBe(0);
    expect(await run((scope) => whole.of(scope, BOOKS))).toBe(0);
  });
});
