// What a store tells of itself.
import { expect, it } from 'vitest';
import type { Subject } from './store-cases.ts';

export function statusContract(subject: Subject): void {
  it('tells how many bytes it takes, and of a queue how long it is', async () => {
    const ns = { database: null, collection: 'measured' };
    const documents = Array.from({ length: 20 }, (_, n) => ({
      _id: `${n}`.padStart(24, '0'),
      text: 'x'.repeat(5000),
    }));
    await subject.store.commit(documents.map((document) => ({ kind: 'insert', ns, document }) as const));
    const { bytes, commits } = await subject.store.status();
    expect(bytes).toBeGreaterThan(1000);
    if (commits !== null) {
      expect(commits.waiting).toBe(0);
      expect(commits.maxWaiting).toBeGreaterThan(0);
    }
  });
}
