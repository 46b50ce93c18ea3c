import { expect, it } from 'vitest';
import type { Write } from '../../../../src/stores/ports.ts';
import {
  deserializeWrites,
  serializeWrites,
} from '../../../../src/stores/sqlite-documents/commit/serialized-writes.ts';

const BOOKS = { database: null, collection: 'books' };
const ELSEWHERE = { database: 'other', collection: 'books' };

it('writes are the same after serialization, in order, also across many chunks', async () => {
  const document = { _id: 'a', text: 'line\nbreak \u2028 \\n "q"', pad: 'x'.repeat(1000) };
  const some: Write[] = [
    { kind: 'insert', ns: BOOKS, document },
    { kind: 'update', ns: ELSEWHERE, id: 'a', v: 3, changed: ['text', 'p\nad'], document },
    { kind: 'remove', ns: BOOKS, id: 'b\n', v: 0 },
  ];
  const writes = Array.from({ length: 600 }, () => some).flat();
  const parcel = await serializeWrites(writes, 5);
  expect(parcel.deadline).toBe(5);
  expect(parcel.namespaces).toEqual([BOOKS, ELSEWHERE]);
  expect(parcel.chunks.length).toBeGreaterThan(3);
  const text = JSON.stringify(document);
  const expected = writes.map((write) => (write.kind === 'remove' ? write : { ...write, text }));
  expect([...deserializeWrites(structuredClone(parcel))]).toEqual(expected);
});
