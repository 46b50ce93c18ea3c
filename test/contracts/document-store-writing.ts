// The contract of document stores: commits, and who hears of them.
import { describe, expect, it } from 'vitest';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import type { Namespace, Write } from '../../src/stores/ports.ts';
import {
  BOOKS,
  ELSEWHERE,
  failureOf,
  idOf,
  idsOf,
  insert,
  NEIGHBOUR,
  query,
  type Subject,
} from './store-cases.ts';

/** Registers what commits must do. */
export function writingContract(subject: Subject): void {
  describe('writing', () => {
    it('updates and removes the state that it was told, and leaves neighbours alone', async () => {
      await subject.store.commit([1, 2, 3].map((n) => insert(BOOKS, n, { n })));
      const document = { _id: idOf(2), v: 2, n: 20 };
      await subject.store.commit([
        { kind: 'update', ns: BOOKS, id: idOf(2), v: 1, document, changed: ['n', 'v'] },
        { kind: 'remove', ns: BOOKS, id: idOf(3), v: 1 },
      ]);
      expect(await subject.store.find(BOOKS, query())).toEqual([{ _id: idOf(1), v: 1, n: 1 }, document]);
      expect(await subject.store.count(BOOKS, MATCH_ALL)).toBe(2);
    });

    it('takes a document without v for state 0', async () => {
      await subject.store.commit([{ kind: 'insert', ns: BOOKS, document: { _id: idOf(1) } }]);
      await subject.store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(1), v: 0 }]);
      expect(await subject.store.count(BOOKS, MATCH_ALL)).toBe(0);
    });

    it('refuses a state that is no longer there, and names the write', async () => {
      await subject.store.commit([insert(BOOKS, 1, {})]);
      const stale: Write = { kind: 'remove', ns: BOOKS, id: idOf(1), v: 7 };
      const gone: Write = { kind: 'remove', ns: BOOKS, id: idOf(9), v: 1 };
      const nowhere: Write = { kind: 'remove', ns: ELSEWHERE, id: idOf(1), v: 1 };
      for (const write of [stale, gone, nowhere]) {
        const failure = await failureOf(subject.store.commit([insert(BOOKS, 2, {}), write]));
        expect(failure).toMatchObject({ name: 'StoreError', reason: 'conflict', index: 1 });
      }
      expect(await idsOf(subject, {})).toEqual([1]);
    });

    it('refuses an _id that is taken', async () => {
      await subject.store.commit([insert(BOOKS, 1, { first: true })]);
      const failure = await failureOf(subject.store.commit([insert(BOOKS, 2, {}), insert(BOOKS, 1, {})]));
      expect(failure).toMatchObject({ reason: 'duplicate', index: 1, fields: ['_id'] });
      expect(await subject.store.find(BOOKS, query())).toMatchObject([{ first: true }]);
    });

    it('commits across namespaces or not at all', async () => {
      const bad: Write = { kind: 'remove', ns: BOOKS, id: idOf(1), v: 1 };
      await failureOf(subject.store.commit([insert(ELSEWHERE, 1, {}), insert(NEIGHBOUR, 1, {}), bad]));
      expect(await subject.collections()).toEqual([]);
      await subject.store.commit([insert(ELSEWHERE, 1, {}), insert(NEIGHBOUR, 1, {})]);
      expect(await subject.collections()).toHaveLength(2);
    });

    it('lets one of two racing writers win', async () => {
      await subject.store.commit([insert(BOOKS, 1, { n: 0 })]);
      const race = [1, 2, 3, 4].map((n) =>
        subject.store.commit([
          {
            kind: 'update',
            ns: BOOKS,
            id: idOf(1),
            v: 1,
            document: { _id: idOf(1), v: 2, n },
            changed: ['n', 'v'],
          },
        ]),
      );
      const results = await Promise.allSettled(race);
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    });

    it('writes thousands in one commit', async () => {
      const writes = Array.from({ length: 3000 }, (_, n) => insert(BOOKS, n, { n, pad: 'x'.repeat(100) }));
      await subject.store.commit(writes);
      expect(await subject.store.count(BOOKS, MATCH_ALL)).toBe(3000);
      const failure = await failureOf(
        subject.store.commit([
          ...writes.slice(1).map((_, at) => insert(NEIGHBOUR, at, {})),
          insert(BOOKS, 5, {}),
        ]),
      );
      expect(failure).toMatchObject({ reason: 'duplicate', index: 2999 });
      expect(await subject.store.count(NEIGHBOUR, MATCH_ALL)).toBe(0);
      expect(await idsOf(subject, { skip: 2998 })).toEqual([2998, 2999]);
    });

    it('tells watchers after each commit which namespaces it wrote', async () => {
      const heard: (readonly Namespace[])[] = [];
      const stop = subject.store.onCommit((changed) => heard.push(changed));
      await subject.store.commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {}), insert(ELSEWHERE, 1, {})]);
      await failureOf(subject.store.commit([insert(BOOKS, 1, {})]));
      stop();
      await subject.store.commit([insert(BOOKS, 3, {})]);
      expect(heard).toEqual([[BOOKS, ELSEWHERE]]);
    });

    it('keeps everything across a restart', async () => {
      await subject.store.commit([insert(BOOKS, 1, { n: 1 }), insert(ELSEWHERE, 2, { n: 2 })]);
      await subject.reopen();
      expect(await idsOf(subject, {})).toEqual([1]);
      expect(await subject.store.count(ELSEWHERE, MATCH_ALL)).toBe(1);
      await subject.store.health();
    });

    it('refuses everything once closed', async () => {
      await subject.store.close();
      await subject.store.close();
      for (const work of [
        subject.store.find(BOOKS, query()),
        subject.store.commit([insert(BOOKS, 1, {})]),
        subject.store.health(),
      ]) {
        expect(await failureOf(work)).toMatchObject({ reason: 'unavailable' });
      }
      await subject.reopen();
    });
  });
}
